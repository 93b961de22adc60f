import { createClient } from '/sdk/servicefido.js';
import { element } from '../dom.js';
import { ACTIONS, enter } from './actions.js';
import { Autofill } from './autofill.js';
import { Backend } from './backend.js';
import { showCapabilities } from './capabilities.js';
import { KeyList } from './key-list.js';
import { claimsOf, failure } from './outcome.js';
import { pageCode, registerOptions, relyingPartyOf } from './page-code.js';
import { Scenes } from './scenes.js';
import { Visit } from './visit.js';
import { loggingFetch } from './wire-log.js';
import { text } from '../texts.js';

const $ = (id) => document.getElementById(id);
const form = $('demo-form');
const visit = new Visit();
const keys = new KeyList($('keys'), $('no-keys'));
const backend = new Backend();
const autofill = new Autofill(form.elements.typed, $('autofill-state'));
const fetch = loggingFetch($('calls'), ({ path, answer }) => {
  $('no-calls').hidden = true;
  if (path.endsWith('/begin') && answer.status === 'ok') visit.begun(answer);
});

const clientOf = () => createClient({ relyingParty: relyingPartyOf(form), fetch });

function show({ shown, occasion }) {
  $('outcome').replaceChildren(...(shown ? [shown] : []));
  const { username, displayName } = registerOptions(form);
  const { token } = visit.signedIn ?? {};
  const { origin } = location;
  const issuer = token ? claimsOf(token).iss : origin;
  const facts = { origin, issuer, relyingParty: visit.domain, username, displayName };
  backend.show(occasion, facts);
}

const failed = (error) => ({
  shown: failure(error, visit.asked()),
  occasion: error.status === undefined ? 'ended' : 'refused',
});

const WAITING = {
  key: text('waiting.key'),
  upgrade: text('waiting.upgrade'),
  invite: text('waiting.invite'),
};

/** Aborts the current call. */
let stop = () => undefined;

async function run(action, trigger) {
  const client = clientOf();
  const scene = scenes.current;
  stop = () => client.abort();
  autofill.stop();
  busy(true);
  $('calls').replaceChildren();
  $('outcome').replaceChildren(
    element('p', { 'aria-busy': 'true' }, WAITING[action] ?? WAITING.key),
  );
  try {
    show(await ACTIONS[action]({ client, form, visit, keys, fetch }));
  } catch (error) {
    // Not shown if the user has changed to another scene.
    if (scene === scenes.current) show(failed(error));
    void offerInField();
  } finally {
    busy(false);
    trigger.focus();
  }
}

/** Offers passkeys in the list of the field, while its scene is shown and no other call runs. */
async function offerInField() {
  if (scenes.current !== 'nameless') return autofill.stop();
  try {
    const answer = await autofill.wait(clientOf());
    if (!answer) return;
    const page = { visit, keys };
    show({ shown: enter(page, answer, text('byField')), occasion: 'signedIn' });
  } catch (error) {
    show(failed(error));
  }
}

function busy(yes) {
  for (const button of form.querySelectorAll('button[name=action]')) button.disabled = yes;
  $('stop').hidden = !yes;
  if (yes) $('cancel').focus();
}

function showCode() {
  $('snippet').textContent = pageCode(form, scenes.current);
}

/** Enter in a field presses the first button of the form, which may be one of another scene. */
function pressedOf({ submitter }) {
  if (submitter?.checkVisibility()) return submitter;
  return document.querySelector('.scene:not([hidden]) button[name=action]');
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  const pressed = pressedOf(event);
  void run(pressed.value, pressed);
});
form.addEventListener('input', showCode);
$('cancel').addEventListener('click', () => stop());

const scenes = new Scenes($('scenes'), () => queueMicrotask(open));

function open() {
  stop();
  form.querySelector('.names').hidden = scenes.current === 'nameless';
  show(isSecureContext ? {} : failed({ kind: 'insecure' }));
  showCode();
  void offerInField();
}

void showCapabilities($('capabilities'));
