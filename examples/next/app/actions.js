'use server';

import { randomUUID } from 'node:crypto';
import { beginSession, endSession, users } from '../lib/sessions.js';

/** @returns whether the name was free */
export async function signUp(username) {
  if (typeof username !== 'string' || username === '' || users.has(username)) return false;
  users.set(username, { id: randomUUID() });
  await beginSession(username);
  return true;
}

export const signOut = async () => endSession();
