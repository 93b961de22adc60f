import { createHash } from 'node:crypto';
import { coseKeyOf, newKeyPair } from '../../../bench/client/authenticator.mjs';
import { displayNameOf, usernameOf } from '../load/names.mjs';

/** Keys are expensive to create, and these are never used to sign in, so users share them. */
const DIFFERENT_KEYS = 500;
const LINES_OF_A_CHUNK = 200;
const CREATED = '2026-01-31T09:00:00.000Z';
/** Default members of a key. */
export const KEY = {
  signCount: 0,
  enabled: true,
  deviceName: 'Security key',
  transports: ['usb', 'nfc'],
  backupEligible: false,
  backedUp: false,
  createdAt: CREATED,
  lastUsedAt: null,
};

const hash = (text) => createHash('sha256').update(text).digest('base64url');

/** The public key of a new pair, in the format of a line. */
export const newPublicKey = () => coseKeyOf(newKeyPair().publicKey).toString('base64url');

/** An export of some users, in chunks. @param userOf returns the nth of them, in the format of a line */
export function* exportOf(domain, users, userOf) {
  const header = { type: 'header', format: 'servicefido-users', version: 1, relyingParty: domain };
  yield lineOf(header);
  let keys = 0;
  for (let from = 0; from < users; from += LINES_OF_A_CHUNK) {
    const lines = Math.min(LINES_OF_A_CHUNK, users - from);
    const chunk = Array.from({ length: lines }, (_, n) => userOf(from + n));
    keys += chunk.reduce((sum, user) => sum + user.keys.length, 0);
    yield chunk.map((user) => lineOf({ type: 'user', createdAt: CREATED, ...user })).join('');
  }
  yield lineOf({ type: 'end', users, keys });
}

const lineOf = (record) => `${JSON.stringify(record)}\n`;

/** An export of users with a key each. */
export function exportOfMany(domain, users) {
  const publicKeys = Array.from({ length: DIFFERENT_KEYS }, newPublicKey);
  return exportOf(domain, users, (n) => ({
    username: usernameOf(n),
    displayName: displayNameOf(n),
    userHandle: hash(`handle ${n}`),
    keys: [
      {
        ...KEY,
        credentialId: hash(`credential ${n}`),
        publicKey: publicKeys[n % DIFFERENT_KEYS],
        signCount: n % 100,
        enabled: n % 50 !== 0,
        lastUsedAt: '2026-02-28T09:00:00.000Z',
      },
    ],
  }));
}
