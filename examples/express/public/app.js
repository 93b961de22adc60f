import { createClient } from './servicefido.js';

// The four calls go to this page's own backend, which makes them with its key.
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

async function show() {
  const answer = await fetch('/me');
  output.value = answer.ok ? `Signed in as ${(await answer.json()).username}` : 'Signed out';
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const username = form.username.value;
  try {
    if (event.submitter.name === 'signup') await signUp(username);
    else await fido.authenticate({ username });
    await show();
  } catch (error) {
    output.value = error.message;
  }
});
form.signout.addEventListener('click', async () => {
  await post('/signout', {});
  await show();
});
await show();
