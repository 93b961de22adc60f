import { randomBytes } from 'node:crypto';
import { KEY, exportOf, newPublicKey } from '../transfer/population.mjs';

const NAME_BYTES = 6;

const phone = { bytes: 20, transports: ['internal', 'hybrid'] };
const manager = { bytes: 16, transports: ['internal', 'hybrid'] };
const laptop = { bytes: 32, transports: ['internal'] };
const stick = { bytes: 64, transports: ['nfc', 'usb'] };
const card = { bytes: 80, transports: ['smart-card'] };
const old = { bytes: 64, transports: [] };

/** Combinations of keys, oldest first, and the number of users in a thousand who have each. */
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

/** Names that cannot be guessed, and do not reveal whether they are known. */
export const namesOf = (count) =>
  Array.from({ length: count }, () => `${randomBytes(NAME_BYTES).toString('hex')}@load.example`);

/** An export of users with these names, in chunks. */
export function exportOfNames(domain, names) {
  const publicKey = newPublicKey();
  return exportOf(domain, names.length, (n) => ({
    username: names[n],
    displayName: names[n],
    userHandle: randomBytes(32).toString('base64url'),
    keys: shapes().map(({ bytes, transports }, k) => ({
      ...KEY,
      credentialId: randomBytes(bytes).toString('base64url'),
      publicKey,
      transports,
      deviceName: `Key ${k}`,
      createdAt: `2026-01-31T10:00:0${k}.000Z`,
    })),
  }));
}

function shapes() {
  let left = Math.random() * 1000;
  return SHARES.find(([share]) => (left -= share) < 0)[1];
}
