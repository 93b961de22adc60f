'use client';

import { createClient } from '@servicefido/browser';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { signOut, signUp } from './actions.js';

// The four calls go to this application, which makes them with its key.
const fido = createClient({ baseUrl: '' });

async function register(username) {
  if (!(await signUp(username))) throw new Error('This name is taken.');
  await fido.register({ username, displayName: username, residentKey: 'required' });
}

export function Passkeys() {
  const [username, setUsername] = useState('');
  const [problem, setProblem] = useState('');
  const router = useRouter();
  const run = (action) => async () => {
    setProblem('');
    await action().catch((error) => setProblem(error.message));
    router.refresh();
  };
  return (
    <form>
      <input
        name="username"
        aria-label="User name"
        autoComplete="username webauthn"
        value={username}
        onChange={(event) => setUsername(event.target.value)}
      />
      <button type="button" name="signup" onClick={run(() => register(username))}>
        Sign up
      </button>
      <button type="button" name="signin" onClick={run(() => fido.authenticate({ username }))}>
        Sign in
      </button>
      <button type="button" name="signout" onClick={run(signOut)}>
        Sign out
      </button>
      <p role="alert">{problem}</p>
    </form>
  );
}
