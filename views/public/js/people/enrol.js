import { createClient } from '/sdk/servicefido.js';
import { element, notice } from '/static/js/dom.js';
import { ADVICE } from '/static/js/people/advice.js';

const $ = (id) => document.getElementById(id);
const root = $('enrol');
const KEPT = 'servicefido-invitation';

/** The code leaves the address at once: it shall stand in no history and on no screenshot. */
function takeCode() {
  const code = location.hash.slice(1);
  if (code === '') return sessionStorage.getItem(KEPT) ?? '';
  history.replaceState(null, '', location.pathname + location.search);
  sessionStorage.setItem(KEPT, code); // for whoever loads the page again
  return code;
}

let code = takeCode();
let relyingParty = root.dataset.relyingParty || undefined;
let client;
let invitation;

const say = (kind, iconName, title, ...rest) =>
  $('outcome').replaceChildren(
    notice(kind, iconName, title, ...rest.map((text) => element('p', {}, text))),
  );

function show(...ids) {
  for (const id of ['open', 'further', 'done']) $(id).hidden = !ids.includes(id);
}

const ASK = 'Ask whoever sent it for a new link: it takes them a minute.';

/** What has become of the link, in words of somebody who has no idea what an invitation is. */
const ENDS = {
  used: [
    'good',
    'check',
    'This link has done its work',
    'Its keys are set up: sign in with one of them. Was that not you? Tell whoever sent the link at once.',
  ],
  expired: ['warn', 'warning', 'This link has expired', ASK],
  revoked: ['warn', 'warning', 'This link was withdrawn', ASK],
  locked: ['bad', 'cross', 'This link was tried with wrong names too often', ASK],
  'worn-out': ['warn', 'warning', 'This link was tried too often', ASK],
};

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

async function begin() {
  if (code === '') {
    return say(
      'warn',
      'warning',
      'Something is missing from this link',
      'Open it as it was sent, to its very last sign, or scan the code again.',
    );
  }
  const { status, body } = await look();
  if (status !== 200) return strange(status, body);
  invitation = body;
  relyingParty = body.relyingParty;
  client = createClient({ relyingParty });
  if (body.state !== 'open') return say(...ENDS[body.state]);
  const until = new Date(body.expiresAt);
  $('until').dateTime = body.expiresAt;
  $('until').textContent = new Intl.DateTimeFormat(undefined, {
    dateStyle: 'medium',
    timeStyle: 'short',
  }).format(until);
  if (body.keys > 0) {
    say(
      'good',
      'check',
      `${body.keys} of ${body.minKeys} keys are set up`,
      'Type your user name to go on with the next one; the key that you made shows that it is you.',
    );
    $('form').querySelector('button span').textContent = 'Make one more key';
  }
  show('open');
  $('form').elements.username.focus();
}

function strange(status, body) {
  if (status === 429)
    return say('warn', 'warning', 'Too many tries', 'Wait a minute, then load this page again.');
  if (status === 404) {
    return say(
      'bad',
      'cross',
      'This link leads nowhere here',
      'It is cut off, or of another service. Open it as it was sent, to its very last sign, or ask whoever sent it for a new one.',
    );
  }
  return say('bad', 'cross', 'The service did not understand this link', body.errorMessage ?? '');
}

async function run(step) {
  busy(true);
  try {
    await step();
  } catch (error) {
    await failed(error);
  } finally {
    busy(false);
  }
}

function busy(is) {
  for (const button of root.querySelectorAll('button:not(#cancel)')) button.disabled = is;
  $('cancel').hidden = !is;
}

async function failed(error) {
  if (error.status === 403 || error.status === 408) {
    const { status, body } = await look();
    if (status === 200 && body.state !== 'open') {
      show();
      return say(...ENDS[body.state]);
    }
  }
  const advice = ADVICE[error.kind];
  if (advice) return say('warn', 'warning', ...advice);
  say('bad', 'cross', 'That did not work', error.message);
}

const usernameOf = () => $('form').elements.username.value;

/** One more key; each after the first needs the sign-in with one that the link has made. */
async function makeKey() {
  const username = usernameOf();
  const first = invitation.keys === 0;
  const { token } = first
    ? {}
    : await client.authenticate({ username, userVerification: 'required' });
  // The next key asks for a sign-in that verified its user.
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
    say(
      'good',
      'check',
      first ? 'Your key is set up' : `${invitation.keys} keys are set up`,
      'You can sign in with it from now on.',
    );
    show('further');
    $('further-heading').focus();
  } else finish();
}

function finish() {
  const { keys, minKeys } = invitation;
  say('good', 'check', keys === 1 ? 'Your key is set up' : `${keys} keys are set up`);
  if (keys >= minKeys) sessionStorage.removeItem(KEPT);
  show('done');
  $('done-heading').focus();
}

$('form').addEventListener('submit', (event) => {
  event.preventDefault();
  void run(makeKey);
});
$('more').addEventListener('click', () => void run(makeKey));
$('later').addEventListener('click', finish);
$('cancel').addEventListener('click', () => client.abort());
// Another link in the same tab changes the fragment alone.
addEventListener('hashchange', () => {
  if (location.hash === '') return;
  code = takeCode();
  void begin();
});

await begin();
