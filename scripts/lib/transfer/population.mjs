import { createHash } from 'node:crypto';
import { coseKeyOf, newKeyPair } from '../../../bench/client/authenticator.mjs';
import { displayNameOf, usernameOf } from '../load/names.mjs';

/** Keys are dear to make, and nobody signs in with these: some users have the same. */
const DIFFERENT_KEYS = 500;
const LINES_OF_A_CHUNK = 200;
const CREATED = '2026-01-31T09:00:00.000Z';
/** What a key has, unless its own members say otherwise. */
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

/** The public key of a new pair, as a line has it. */
export const newPublicKey = () => coseKeyOf(newKeyPair().publicKey).toString('base64url');

/** An export of some users, in chunks. @param userOf makes the nth of them, as a line has it */
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
