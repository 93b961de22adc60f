'use server';

import { randomUUID } from 'node:crypto';
import { beginSession, currentUser, endSession, users } from '../lib/sessions.js';

/** @returns whether the name was free, or taken in this session, where the prompt was closed */
export async function signUp(username) {
  if (typeof username !== 'string' || username === '') return false;
  if ((await currentUser()) === username) return true;
  if (users.has(username)) return false;
  users.set(username, { id: randomUUID() });
  await beginSession(username);
  return true;
}

export const signOut = async () => endSession();
