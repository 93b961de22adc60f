import { randomUUID } from 'node:crypto';
import { cookies } from 'next/headers';

// In place of your database; routes and pages are bundles of their own, and share what is global.
const store = (globalThis.exampleStore ??= { users: new Map(), sessions: new Map() });

export const { users } = store;

/** The name of the signed-in user; `undefined` for others. */
export const currentUser = async () => store.sessions.get((await cookies()).get('session')?.value);

/** Begins a session with an ID of its own, and ends the one that was there. */
export async function beginSession(username) {
  await endSession();
  const id = randomUUID();
  store.sessions.set(id, username);
  // Behind HTTPS also `secure: true`.
  (await cookies()).set('session', id, { httpOnly: true, sameSite: 'lax' });
}

export async function endSession() {
  store.sessions.delete((await cookies()).get('session')?.value);
}
