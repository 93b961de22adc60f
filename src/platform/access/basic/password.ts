import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { PASSWORD_HASH } from '../../config/files/accounts-file.js';

/** With `p` 3, the least that OWASP asks for; of its equal choices this one takes the least memory, 32 MiB. */
const COST = { N: 2 ** 15, r: 8, maxmem: 64 * 1024 * 1024 };
const CURRENT_P = 3;
/** That of hashes without parameters. */
const FORMER_P = 1;
const PARAMETERS = `15,8,${CURRENT_P}`;
const KEY_BYTES = 32;

function derive(password: string, salt: Buffer, p: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, KEY_BYTES, { ...COST, p }, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

/** `scrypt$PARAMETERS$SALT$KEY`: the parameters are log2 of N, r and p; salt and key are Base64URL. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt, CURRENT_P);
  return ['scrypt', PARAMETERS, salt.toString('base64url'), key.toString('base64url')].join('$');
}

/** Whether a hash was made with weaker parameters than those of today. */
export const isOutdated = (hash: string): boolean => !hash.startsWith(`scrypt$${PARAMETERS}$`);

/** Compares in constant time; a hash of another shape matches nothing. */
export async function passwordMatches(password: string, hash: string): Promise<boolean> {
  const { salt = '', key } = PASSWORD_HASH.exec(hash)?.groups ?? {};
  if (key === undefined) return false;
  const bytes = Buffer.from(salt, 'base64url');
  const derived = await derive(password, bytes, isOutdated(hash) ? FORMER_P : CURRENT_P);
  // The time does not reveal which accounts have an outdated hash, and thus exist.
  if (isOutdated(hash)) await derive(password, bytes, CURRENT_P - FORMER_P);
  // No password has a NUL: scrypt begins with HMAC, for which a key and the same key with zeros behind it are
  // equal. This is looked at last, so that every password costs the same.
  return timingSafeEqual(derived, Buffer.from(key, 'base64url')) && !password.includes('\0');
}
