import { createClient } from '/sdk/servicefido.js';
import { element, notice } from '/static/js/dom.js';
import { buttonsOff } from '/static/js/user-facing/buttons.js';
import { wordsOf } from '/static/js/user-facing/refusal.js';
import { message, moment, text } from '/static/js/texts.js';

const $ = (id) => document.getElementById(id);
const root = $('enrol');
const KEPT = 'servicefido-invitation';
/** The code of the invitation that this tab has completed: after a reload the page says so again. */
const COMPLETED = 'servicefido-completed';

/** Removes the code from the address at once, so that no history and no screenshot contains it. */
function takeCode() {
  const code = location.hash.slice(1);
  if (code === '') return sessionStorage.getItem(KEPT) ?? '';
  history.replaceState(null, '', location.pathname + location.search);
  sessionStorage.setItem(KEPT, code); // for a reload of the page
  return code;
}

let code = takeCode();
let relyingParty = root.dataset.relyingParty || undefined;
let client;
let invitation;

const say = (kind, iconName, title, ...rest) =>
  $('outcome').replaceChildren(
    notice(kind, iconName, title, ...rest.map((line) => element('p', {}, line))),
  );

function show(...ids) {
  for (const id of ['open', 'further', 'done']) $(id).hidden = !ids.includes(id);
}

/** The look of links that ended for another reason than their age. */
const ENDS = { used: ['good', 'check'], locked: ['bad', 'cross'] };

/** Shows the state of the link, in words for users who do not know what an invitation is. */
const sayEnd = (state) => say(...(ENDS[state] ?? ['warn', 'warning']), ...message(`link.${state}`));

async function look() {
  const headers = { 'content-type': 'application/json' };
  if (relyingParty) headers['x-servicefido-relyingparty'] = relyingParty;
  const response = await fetch('/fidoapi/invitation', {
    method: 'POST',
    headers,
    body: JSON.stringify({ code }),
  });
  return { status: response.status, body: await response.json() };
}

/** Begins with the link of the address; the page may show the state of another one. */
async function begin() {
  $('outcome').replaceChildren();
  show();
  try {
    await openLink();
  } catch {
    say(...wordsOf({ kind: 'network' }));
  }
}

async function openLink() {
  if (!isSecureContext) return say(...wordsOf({ kind: 'insecure' }));
  if (code === '') return say('warn', 'warning', ...message('link.empty'));
  const { status, body } = await look();
  if (status !== 200) return strange(status, body);
  invitation = body;
  relyingParty = body.relyingParty;
  client = createClient({ relyingParty });
  if (body.state === 'used' && sessionStorage.getItem(COMPLETED) === code) return finish();
  if (body.state !== 'open') return sayEnd(body.state);
  $('until').dateTime = body.expiresAt;
  $('until').textContent = moment.format(new Date(body.expiresAt));
  if (body.keys > 0) say('good', 'check', ...message('enrol.begun', body));
  $('first').hidden = body.keys > 0;
  $('next').hidden = body.keys === 0;
  show('open');
  $('form').elements.username.focus();
}

function strange(status, body) {
  if (status === 429) return say('warn', 'warning', ...message('link.tooMany'));
  if (status === 404) return say('bad', 'cross', ...message('link.unknown'));
  return say('bad', 'cross', ...message('link.strange'), body.errorMessage ?? '');
}

async function run(step) {
  const buttonsOn = buttonsOff(root);
  $('cancel').disabled = false;
  $('cancel').hidden = false;
  try {
    await step();
  } catch (error) {
    await failed(error);
  } finally {
    $('cancel').hidden = true;
    buttonsOn();
  }
}

async function failed(error) {
  if (error.status === 403 || error.status === 408) {
    const { status, body } = await look().catch(() => ({}));
    if (status === 200 && body.state !== 'open') {
      show();
      return sayEnd(body.state);
    }
    // Another tab has made a key, or the answer about it was lost.
    if (status === 200 && body.keys !== invitation.keys) return begin();
  }
  say(...wordsOf(error));
}

const usernameOf = () => $('form').elements.username.value;

/** Creates one more key. Each key after the first needs a sign-in with one that the link has created. */
async function makeKey() {
  const username = usernameOf();
  const first = invitation.keys === 0;
  const { token } = first
    ? {}
    : await client.authenticate({ username, userVerification: 'required' });
  // The next key requires a sign-in with user verification.
  const userVerification = invitation.minKeys > 1 ? 'required' : 'preferred';
  await client.register({
    username,
    displayName: username,
    ticket: code,
    token,
    userVerification,
    residentKey: 'preferred',
  });
  invitation.keys += 1;
  if (invitation.keys < invitation.minKeys) {
    say('good', 'check', made(), text('enrol.usable'));
    show('further');
    $('further-heading').focus();
  } else finish();
}

const made = () => (invitation.keys === 1 ? text('enrol.oneMade') : text('enrol.made', invitation));

function finish() {
  const { keys, minKeys } = invitation;
  say('good', 'check', made());
  if (keys >= minKeys) sessionStorage.setItem(COMPLETED, code);
  leadOn();
  show('done');
  $('done-heading').focus();
}

/** Links to the application, where the user signs in with the new key. */
function leadOn() {
  const { continueTo, name } = invitation;
  $('onward').hidden = !continueTo;
  if (!continueTo) return;
  const link = $('onward').querySelector('a');
  link.href = continueTo;
  link.textContent = text('enrol.continueTo', { name });
}

$('form').addEventListener('submit', (event) => {
  event.preventDefault();
  void run(makeKey);
});
$('more').addEventListener('click', () => void run(makeKey));
$('later').addEventListener('click', finish);
$('cancel').addEventListener('click', () => client.abort());
// Another link in the same tab changes only the fragment.
addEventListener('hashchange', () => {
  if (location.hash === '') return;
  code = takeCode();
  void begin();
});

await begin();
