import { createClient } from '/sdk/servicefido.js';
import { wireCopyButtons } from '../copy.js';
import { element, facts, notice } from '../dom.js';
import { showCapabilities } from './capabilities.js';
import { KeyList } from './key-list.js';
import { authenticateOptions, registerOptions, relyingPartyOf, snippet } from './snippet.js';
import { loggingFetch } from './wire-log.js';

const $ = (id) => document.getElementById(id);
const form = $('demo-form');
const outcome = $('outcome');
const cancel = $('cancel');
const keys = new KeyList($('keys'), $('no-keys'));
const fetch = loggingFetch($('calls'), () => ($('no-calls').hidden = true));

const WAITING = {
  register: 'Waiting for your authenticator…',
  authenticate: 'Waiting for your key…',
};

/** What a reader can do about each kind of failure; the error's own sentence stands above it. */
const ADVICE = {
  cancelled: 'Nothing was changed. Try again when you are ready.',
  timeout: 'Start again and answer the prompt within the time that the server gives.',
  aborted: 'Nothing was changed.',
  already_registered: 'Sign in with it, or choose another authenticator.',
  bad_domain: 'Open this page under the domain of the relying party; an IP address will not do.',
  unsupported: 'Change the options, or use another browser or authenticator.',
  busy: 'Finish or close the other prompt first.',
  network: 'Check that the server is running, then try again.',
  expired: 'Start again: a challenge can be used once, and only for a short time.',
};

async function run(action, trigger) {
  const client = createClient({ relyingParty: relyingPartyOf(form), fetch });
  const stop = () => client.abort();
  cancel.addEventListener('click', stop);
  busy(true);
  $('calls').replaceChildren();
  outcome.replaceChildren(element('p', { 'aria-busy': 'true' }, WAITING[action]));
  try {
    outcome.replaceChildren(await ceremonies[action](client));
  } catch (error) {
    outcome.replaceChildren(failure(error));
  } finally {
    cancel.removeEventListener('click', stop);
    busy(false);
    trigger.focus();
  }
}

/** The token of the last sign-in: with `--registration first-only` a further key needs it. */
let signedIn;

const ceremonies = {
  async register(client) {
    const options = registerOptions(form);
    const token = signedIn?.username === options.username ? signedIn.token : undefined;
    const answer = await client.register({ ...options, token });
    keys.registered(answer, new FormData(form).get('keyName'));
    return notice(
      'good',
      'check',
      `Registered for ${answer.username}.`,
      facts([
        ['Authenticator', answer.authenticatorName ?? 'not told, or not known here'],
        ['User verified', answer.userVerified ? 'yes' : 'no'],
        ['Attestation', answer.attestation.format],
      ]),
    );
  },

  async authenticate(client) {
    const answer = await client.authenticate(authenticateOptions(form));
    keys.signedIn(answer);
    signedIn = answer;
    return notice(
      'good',
      'check',
      `Signed in as ${answer.displayName}.`,
      facts([
        ['User verified', answer.userVerified ? 'yes' : 'no'],
        ['Signature counter', String(answer.signCount)],
      ]),
      ...(answer.token ? [tokenDetails(answer.token)] : []),
    );
  },
};

/** The claims of a JWT, for reading. Your backend must verify the signature before it trusts them. */
function tokenDetails(token) {
  const [, payload] = token.split('.');
  const bytes = atob(payload.replaceAll('-', '+').replaceAll('_', '/'));
  const json = new TextDecoder().decode(Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)));
  const claims = element('code', {}, JSON.stringify(JSON.parse(json), null, 2));
  return element(
    'details',
    {},
    element('summary', {}, 'Claims of the token for your backend'),
    element('pre', { tabindex: '0' }, claims),
  );
}

function failure(error) {
  const code = error.errorCode ? ` (${error.errorCode})` : '';
  const kind = error.kind === 'cancelled' || error.kind === 'aborted' ? 'warn' : 'bad';
  return notice(
    kind,
    kind === 'warn' ? 'info' : 'warning',
    `${error.message}${code}`,
    ...(ADVICE[error.kind] ? [element('p', {}, ADVICE[error.kind])] : []),
    ...(error.requestId ? [element('p', { class: 'muted' }, `Request ${error.requestId}`)] : []),
  );
}

function busy(yes) {
  for (const button of form.querySelectorAll('button[name=action]')) button.disabled = yes;
  cancel.hidden = !yes;
  if (yes) cancel.focus();
}

function showSnippet() {
  $('snippet').textContent = snippet(form);
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void run(event.submitter.value, event.submitter);
});
form.addEventListener('input', showSnippet);

showSnippet();
wireCopyButtons();
void showCapabilities($('capabilities'));
