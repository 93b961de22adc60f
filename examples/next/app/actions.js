'use server';

import { randomUUID } from 'node:crypto';
import { beginSession, currentUser, endSession, users } from '../lib/sessions.js';

/** @returns true if the name was free, or if this session reserved it and the user closed the prompt */
export async function signUp(username) {
  if (typeof username !== 'string' || username === '') return false;
  if ((await currentUser()) === username) return true;
  if (users.has(username)) return false;
  users.set(username, { id: randomUUID() });
  await beginSession(username);
  return true;
}

export const signOut = async () => endSession();
