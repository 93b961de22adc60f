import { createHash } from 'node:crypto';
import { coseKeyOf, newKeyPair } from '../../../bench/client/authenticator.mjs';
import { displayNameOf, usernameOf } from '../load/names.mjs';

/** Keys are expensive to create, and these are never used to sign in, so users share them. */
const DIFFERENT_KEYS = 500;
const LINES_OF_A_CHUNK = 200;
const CREATED = '2026-01-31T09:00:00.000Z';

const hash = (text) => createHash('sha256').update(text).digest('base64url');
const newPublicKey = () => coseKeyOf(newKeyPair().publicKey).toString('base64url');
const lineOf = (record) => `${JSON.stringify(record)}\n`;

/** An export of users with a key each, in chunks. */
export function* exportOfMany(domain, users) {
  const publicKeys = Array.from({ length: DIFFERENT_KEYS }, newPublicKey);
  const header = { type: 'header', format: 'servicefido-users', version: 1, relyingParty: domain };
  yield lineOf(header);
  for (let from = 0; from < users; from += LINES_OF_A_CHUNK) {
    const length = Math.min(LINES_OF_A_CHUNK, users - from);
    const lines = Array.from({ length }, (_, n) => lineOf(userOf(from + n, publicKeys)));
    yield lines.join('');
  }
  yield lineOf({ type: 'end', users, keys: users });
}

function userOf(n, publicKeys) {
  const key = {
    credentialId: hash(`credential ${n}`),
    publicKey: publicKeys[n % DIFFERENT_KEYS],
    signCount: n % 100,
    enabled: n % 50 !== 0,
    deviceName: 'Security key',
    transports: ['usb', 'nfc'],
    backupEligible: false,
    backedUp: false,
    createdAt: CREATED,
    lastUsedAt: '2026-02-28T09:00:00.000Z',
  };
  return {
    type: 'user',
    createdAt: CREATED,
    username: usernameOf(n),
    displayName: displayNameOf(n),
    userHandle: hash(`handle ${n}`),
    keys: [key],
  };
}
