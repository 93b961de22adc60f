import { randomBytes } from 'node:crypto';
import { coseKey } from '../transfer/population.mjs';

const NAME_BYTES = 6;
const LINES_OF_A_CHUNK = 200;
const OLD = '2026-01-31T09:00:00.000Z';

const phone = { bytes: 20, transports: ['internal', 'hybrid'] };
const manager = { bytes: 16, transports: ['internal', 'hybrid'] };
const laptop = { bytes: 32, transports: ['internal'] };
const stick = { bytes: 64, transports: ['nfc', 'usb'] };
const card = { bytes: 80, transports: ['smart-card'] };
const old = { bytes: 64, transports: [] };

/** What keys people have, the oldest first, and how many of a thousand have just these. */
const SHARES = [
  [300, [phone]],
  [180, [manager]],
  [150, [laptop]],
  [90, [laptop, phone]],
  [80, [stick]],
  [60, [stick, stick]],
  [50, [manager, laptop]],
  [30, [phone, manager, laptop]],
  [20, [card]],
  [20, [old]],
  [10, [old, phone]],
  [6, [phone, phone, phone, phone]],
  [4, [laptop, laptop, stick, stick, card]],
];

/** Names that nobody guesses, and that say nothing of whether they are known. */
export const namesOf = (count) =>
  Array.from({ length: count }, () => `${randomBytes(NAME_BYTES).toString('hex')}@load.example`);

/** An export of users of these names, in chunks. */
export function* exportOf(domain, names) {
  const publicKey = coseKey();
  const header = { type: 'header', format: 'servicefido-users', version: 1, relyingParty: domain };
  yield `${JSON.stringify(header)}\n`;
  let keys = 0;
  for (let from = 0; from < names.length; from += LINES_OF_A_CHUNK) {
    const users = names.slice(from, from + LINES_OF_A_CHUNK).map((name) => userOf(name, publicKey));
    for (const user of users) keys += user.keys.length;
    yield users.map((user) => `${JSON.stringify(user)}\n`).join('');
  }
  yield `${JSON.stringify({ type: 'end', users: names.length, keys })}\n`;
}

function userOf(username, publicKey) {
  const keys = shapes().map(({ bytes, transports }, n) => ({
    credentialId: randomBytes(bytes).toString('base64url'),
    ...{ publicKey, transports, deviceName: `Key ${n}` },
    ...{ signCount: 0, enabled: true, backupEligible: false, backedUp: false },
    createdAt: `2026-01-31T10:00:0${n}.000Z`,
    lastUsedAt: null,
  }));
  const userHandle = randomBytes(32).toString('base64url');
  return { type: 'user', username, displayName: username, userHandle, createdAt: OLD, keys };
}

function shapes() {
  let left = Math.random() * 1000;
  return SHARES.find(([share]) => (left -= share) < 0)[1];
}
