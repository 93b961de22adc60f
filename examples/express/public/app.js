import { createClient } from './servicefido.js';

// The calls go to the page's own backend, which makes them with its application key.
const fido = createClient({ baseUrl: '' });
const form = document.querySelector('form');
const output = document.querySelector('output');

const post = (path, body) =>
  fetch(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });

async function signUp(username) {
  if (!(await post('/signup', { username })).ok) throw new Error('This name is taken.');
  await fido.register({ username, displayName: username, residentKey: 'required' });
}

/** Without a user name, the passkey identifies the user. */
const signIn = (username) => (username ? fido.authenticate({ username }) : fido.signIn());

async function show() {
  const answer = await fetch('/me');
  output.value = answer.ok ? `Signed in as ${(await answer.json()).username}` : 'Signed out';
  if (!answer.ok) void offer();
}

/** Shows passkeys in the autofill list of the field, until another call begins. */
async function offer() {
  const answer = await fido.autofill(form.username).catch(() => undefined);
  if (answer) await show();
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const username = form.username.value;
  try {
    await (event.submitter.name === 'signup' ? signUp(username) : signIn(username));
    await show();
  } catch (error) {
    output.value = error.message;
    void offer();
  }
});
form.signout.addEventListener('click', async () => {
  await post('/signout', {});
  await show();
});
await show();
