import { element } from '/static/js/dom.js';
import { failed, run, signInClient } from '/static/js/user-facing/page-sign-in.js';

const root = document.getElementById('entra-sign-in');
const { username } = root.dataset;
const fido = signInClient(root.dataset);

/** Goes back to Entra with the ID token, perhaps with a new key for the domain to which the user has moved. */
async function finish(answer) {
  // The sign-in is complete without it.
  if (answer.upgrade) await fido.move(answer).catch(() => undefined);
  const form = document.getElementById('answer');
  form.append(element('input', { type: 'hidden', name: 'id_token', value: answer.idToken }));
  form.submit();
}

document.getElementById('passkey').addEventListener('click', () => {
  void run(root, async () => finish(await fido.authenticate({ username })));
});

if (!isSecureContext) void failed({ kind: 'insecure' });
