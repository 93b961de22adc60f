import { createClient } from '/sdk/servicefido.js';
import { element, notice } from '/static/js/dom.js';
import { wordsOf } from '/static/js/people/refusal.js';

const $ = (id) => document.getElementById(id);
const root = $('oidc-sign-in');
const { relyingParty } = root.dataset;
const COMPLETION = '/fidoapi/authenticate/complete';

/** Ends a ceremony at this page's interaction; all other calls are the server's usual ones. */
const transport = (url, init) =>
  fetch(url.endsWith(COMPLETION) ? location.pathname + COMPLETION : url, init);

const fido = createClient({ relyingParty, baseUrl: location.origin, fetch: transport });

const say = (kind, iconName, title, ...rest) =>
  $('outcome').replaceChildren(
    notice(kind, iconName, title, ...rest.map((line) => element('p', {}, line))),
  );

const failed = (error) => say(...wordsOf(error));

/** Goes back to the application, perhaps with a new key for the domain to which the user has moved. */
async function finish(answer) {
  // The sign-in is complete without it.
  if (answer.upgrade) await fido.move(answer).catch(() => undefined);
  location.assign(answer.returnTo);
}

async function run(step) {
  for (const button of root.querySelectorAll('button')) button.disabled = true;
  try {
    await step();
  } catch (error) {
    failed(error);
    for (const button of root.querySelectorAll('button')) button.disabled = false;
    void offer();
  }
}

/** Errors of autofill that are not shown, because the user did not start it. */
const UNSEEN = ['aborted', 'unsupported', 'cancelled', 'timeout', 'busy', 'network'];

/** Offers passkeys in the list of the name field, until another call of this page begins. */
async function offer() {
  try {
    await finish(await fido.autofill($('form').elements.username));
  } catch (error) {
    if (!UNSEEN.includes(error.kind)) failed(error);
  }
}

/** A passkey of this device at once, if the browser can say whether there is one; else any device. */
const signIn = async () => (await fido.signIn({ immediate: true })) ?? fido.signIn();

$('passkey').addEventListener('click', () => void run(async () => finish(await signIn())));
$('form').addEventListener('submit', (event) => {
  event.preventDefault();
  const username = event.target.elements.username.value;
  void run(async () => finish(await fido.authenticate({ username })));
});
$('cancel').addEventListener('click', () => {
  void run(async () => {
    const init = { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } };
    const answer = await fetch(`${location.pathname}/cancel`, init);
    if (!answer.ok) throw Object.assign(new Error(), await answer.json(), { kind: 'server' });
    location.assign((await answer.json()).returnTo);
  });
});

if (!isSecureContext) failed({ kind: 'insecure' });
else void offer();
