import { element, notice } from '../dom.js';

/** The browser's calls with the answer of a begin call (W3C WebAuthn L3 §5.1.8, §5.1.9, §5.8.8). */
const CEREMONIES = {
  registration: (options) =>
    navigator.credentials.create({
      publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options),
    }),
  authentication: (options) =>
    navigator.credentials.get({
      publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options),
    }),
};

/**
 * Makes it possible to try a call that completes a ceremony: the button begins one as the same caller, prompts
 * for the authenticator, and fills in the body.
 */
export function wireCeremony({ form, outcome, caller, headers }) {
  const part = form.querySelector('.ceremony');
  if (!part) return;
  const able = typeof globalThis.PublicKeyCredential?.parseCreationOptionsFromJSON === 'function';
  part.hidden = !able;
  part.querySelector('button').addEventListener('click', async () => {
    try {
      const answered = await perform(part, { caller, headers });
      form.querySelector('textarea').value = JSON.stringify(answered, null, 2);
      outcome.replaceChildren(
        notice('good', 'check', 'The body is filled in: it can be sent once.'),
      );
    } catch (error) {
      const said = element('p', {}, error.message);
      outcome.replaceChildren(notice('bad', 'warning', 'There is no new body.', said));
    }
  });
}

async function perform(part, { caller, headers }) {
  const registers = 'registers' in part.dataset;
  const username = part.querySelector('input').value;
  const who = caller();
  const response = await fetch(part.dataset.begin, {
    method: 'POST',
    credentials: who.credentials,
    headers: { 'Content-Type': 'application/json', ...headers(), ...who.headers },
    body: JSON.stringify(registers ? { username, displayName: username } : { username }),
  });
  const options = await response.json();
  if (!response.ok) throw new Error(options.errorMessage);
  const credential = await CEREMONIES[registers ? 'registration' : 'authentication'](options);
  const { ceremony } = options;
  return { ...credential.toJSON(), ...(ceremony && { ceremony }) };
}
