import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto';
import { pooledRandomBytes } from '../../platform/common/random.js';

/** W3C WebAuthn L3 §13.4.3: at least 16. */
const RANDOM_BYTES = 16;
/** The deadline in seconds since 1970, enough until 2106. */
const DEADLINE_BYTES = 4;
/** The MAC decides only which refusal is answered, so 96 bits are plenty. */
const MAC_BYTES = 12;
const SIGNED_BYTES = RANDOM_BYTES + DEADLINE_BYTES;
const OWN_BYTES = SIGNED_BYTES + MAC_BYTES;
/** SHA-256 of a transaction; it follows the server's own bytes. */
const HASH_BYTES = 32;
/** Base64URL of 32 bytes, or of 64 with a transaction. */
const FORM = /^[\w-]{43}(?:[\w-]{43})?$/;
const NOTHING = Buffer.alloc(0);

/**
 * Returns a new challenge for the session: Base64URL of 32 bytes, or of 64 with a transaction. It contains random bytes,
 * the deadline, and a MAC over both and the session. So it shows whether it was issued to a session and until when it
 * could be answered, even after it was used, pushed out or has expired. This needs no stored state.
 *
 * @param key of the MAC, which all instances share
 * @param expiresAt when the ceremony ends, in ms since 1970; see `Ceremonies.lifetimeOf`
 * @param transaction SHA-256 of the transaction to confirm, appended to the challenge
 */
export function newChallenge(
  key: KeyObject,
  session: string,
  expiresAt: number,
  transaction: Buffer = NOTHING,
): string {
  const signed = Buffer.alloc(SIGNED_BYTES);
  pooledRandomBytes(RANDOM_BYTES).copy(signed);
  signed.writeUInt32BE(Math.floor(expiresAt / 1000), RANDOM_BYTES);
  const mac = macOf(key, session, signed, transaction);
  return Buffer.concat([signed, mac, transaction]).toString('base64url');
}

/** Whether the text has the form of a challenge and is worth a lookup. */
export const isWellFormed = (challenge: string): boolean => FORM.test(challenge);

/**
 * When the ceremony of a challenge ends or ended, whichever instance issued it.
 *
 * @returns ms since 1970, rounded down to seconds; `undefined` if it was never issued to the session
 */
export function deadlineOf(key: KeyObject, session: string, challenge: string): number | undefined {
  if (!isWellFormed(challenge)) return undefined;
  const bytes = Buffer.from(challenge, 'base64url');
  const signed = bytes.subarray(0, SIGNED_BYTES);
  const mac = macOf(key, session, signed, bytes.subarray(OWN_BYTES));
  if (!timingSafeEqual(bytes.subarray(SIGNED_BYTES, OWN_BYTES), mac)) return undefined;
  return 1000 * signed.readUInt32BE(RANDOM_BYTES);
}

/** Returns the SHA-256 of the transaction in a challenge; `undefined` for an ordinary challenge. */
export function transactionIn(challenge: string): Buffer | undefined {
  const transaction = Buffer.from(challenge, 'base64url').subarray(OWN_BYTES);
  return transaction.length === HASH_BYTES ? transaction : undefined;
}

function macOf(key: KeyObject, session: string, signed: Buffer, transaction: Buffer): Buffer {
  const mac = createHmac('sha256', key).update(session).update(signed).update(transaction);
  return mac.digest().subarray(0, MAC_BYTES);
}
