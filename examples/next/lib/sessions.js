import { randomUUID } from 'node:crypto';
import { cookies } from 'next/headers';

// Replaces your database. Routes and pages are separate bundles, which share only global variables.
const store = (globalThis.exampleStore ??= { users: new Map(), sessions: new Map() });

export const { users } = store;

/** Returns the name of the signed-in user, or `undefined`. */
export const currentUser = async () => store.sessions.get((await cookies()).get('session')?.value);

/** Ends the current session and begins a new one with a new ID. */
export async function beginSession(username) {
  await endSession();
  const id = randomUUID();
  store.sessions.set(id, username);
  // With HTTPS, also set `secure: true`.
  (await cookies()).set('session', id, { httpOnly: true, sameSite: 'lax' });
}

export async function endSession() {
  store.sessions.delete((await cookies()).get('session')?.value);
}
