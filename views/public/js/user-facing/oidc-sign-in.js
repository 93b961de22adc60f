import { failed, run, signInClient } from '/static/js/user-facing/page-sign-in.js';

const $ = (id) => document.getElementById(id);
const root = $('oidc-sign-in');
const fido = signInClient(root.dataset);
const runHere = (step) => void run(root, step, offer);

/** Goes back to the application, perhaps with a new key for the domain to which the user has moved. */
async function finish(answer) {
  // The sign-in is complete without it.
  if (answer.upgrade) await fido.move(answer).catch(() => undefined);
  location.assign(answer.returnTo);
}

/** Errors of autofill that are not shown, because the user did not start it. */
const UNSEEN = ['aborted', 'unsupported', 'cancelled', 'timeout', 'busy', 'network'];

/** Offers passkeys in the list of the name field, until another call of this page begins. */
async function offer() {
  try {
    await finish(await fido.autofill($('form').elements.username));
  } catch (error) {
    if (!UNSEEN.includes(error.kind)) await failed(error);
  }
}

/** A passkey of this device at once, if the browser can say whether there is one; else any device. */
const signIn = async () => (await fido.signIn({ immediate: true })) ?? fido.signIn();

$('passkey').addEventListener('click', () => runHere(async () => finish(await signIn())));
$('form').addEventListener('submit', (event) => {
  event.preventDefault();
  const username = event.target.elements.username.value;
  runHere(async () => finish(await fido.authenticate({ username })));
});
$('cancel').addEventListener('click', () => {
  runHere(async () => {
    const init = { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } };
    const answer = await fetch(`${location.pathname}/cancel`, init);
    if (!answer.ok) throw Object.assign(new Error(), await answer.json(), { kind: 'server' });
    location.assign((await answer.json()).returnTo);
  });
});

// Before it can work, the form would only load the page again.
$('sign-in').hidden = false;
if (!isSecureContext) void failed({ kind: 'insecure' });
else void offer();
