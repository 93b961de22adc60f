'use client';

import { createClient } from '@servicefido/browser';
import { useRouter } from 'next/navigation';
import { useEffect, useRef, useState } from 'react';
import { signOut, signUp } from './actions.js';

// The calls go to this application, which makes them with its application key.
const fido = createClient({ baseUrl: '' });

async function register(username) {
  if (!(await signUp(username))) throw new Error('This name is taken.');
  await fido.register({ username, displayName: username, residentKey: 'required' });
}

/** Without a user name, the passkey identifies the user. */
const signIn = (username) => (username ? fido.authenticate({ username }) : fido.signIn());

export function Passkeys({ signedIn }) {
  const [username, setUsername] = useState('');
  const [problem, setProblem] = useState('');
  const [tries, setTries] = useState(0);
  const field = useRef(null);
  const router = useRouter();
  const run = (action) => async () => {
    setProblem('');
    await action().catch((error) => setProblem(error.message));
    setTries((before) => before + 1);
    router.refresh();
  };
  // Shows passkeys in the autofill list of the field, until another call begins.
  useEffect(() => {
    if (signedIn) return undefined;
    const offer = new AbortController();
    fido.autofill(field.current, { signal: offer.signal }).then(
      () => router.refresh(),
      () => {},
    );
    return () => offer.abort();
  }, [signedIn, tries, router]);
  return (
    <form>
      <input
        ref={field}
        name="username"
        aria-label="User name"
        autoComplete="username webauthn"
        value={username}
        onChange={(event) => setUsername(event.target.value)}
      />
      <button type="button" name="signup" onClick={run(() => register(username))}>
        Sign up
      </button>
      <button type="button" name="signin" onClick={run(() => signIn(username))}>
        Sign in
      </button>
      <button type="button" name="signout" onClick={run(signOut)}>
        Sign out
      </button>
      <p role="alert">{problem}</p>
    </form>
  );
}
