import { createHash, generateKeyPairSync } from 'node:crypto';

/** Keys are dear to make, and nobody signs in with these: some users have the same. */
const DIFFERENT_KEYS = 500;
const LINES_OF_A_CHUNK = 200;

const hash = (text) => createHash('sha256').update(text).digest('base64url');

/** An ES256 key as COSE_Key: a map of five members, whose first bytes are always these. */
export function coseKey() {
  const { publicKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'der' },
  });
  const [x, y] = [publicKey.subarray(-64, -32), publicKey.subarray(-32)];
  const head = Buffer.from('a5010203262001215820', 'hex');
  return Buffer.concat([head, x, Buffer.from('225820', 'hex'), y]).toString('base64url');
}

/** An export of so many users with a key each, in chunks. */
export function* exportOf(domain, users) {
  const keys = Array.from({ length: DIFFERENT_KEYS }, coseKey);
  const header = { type: 'header', format: 'servicefido-users', version: 1, relyingParty: domain };
  yield `${JSON.stringify(header)}\n`;
  for (let from = 0; from < users; from += LINES_OF_A_CHUNK) {
    const lines = Math.min(LINES_OF_A_CHUNK, users - from);
    yield Array.from({ length: lines }, (_, n) => lineOf(from + n, keys)).join('');
  }
  yield `${JSON.stringify({ type: 'end', users, keys: users })}\n`;
}

function lineOf(n, keys) {
  const user = {
    type: 'user',
    username: `user-${String(n).padStart(7, '0')}@load.example`,
    displayName: `User ${n}`,
    userHandle: hash(`handle ${n}`),
    createdAt: '2026-01-31T09:00:00.000Z',
    keys: [
      {
        credentialId: hash(`credential ${n}`),
        publicKey: keys[n % keys.length],
        signCount: n % 100,
        enabled: n % 50 !== 0,
        deviceName: 'Security key',
        transports: ['usb', 'nfc'],
        backupEligible: false,
        backedUp: false,
        createdAt: '2026-01-31T09:00:00.000Z',
        lastUsedAt: '2026-02-28T09:00:00.000Z',
      },
    ],
  };
  return `${JSON.stringify(user)}\n`;
}
