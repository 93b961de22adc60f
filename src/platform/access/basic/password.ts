import { randomBytes, scrypt, timingSafeEqual, type ScryptOptions } from 'node:crypto';

const COST: ScryptOptions = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 };
const KEY_BYTES = 32;

function derive(password: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, KEY_BYTES, COST, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

/** Returns `scrypt$SALT$KEY`, both in Base64URL. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const key = await derive(password, salt);
  return `scrypt$${salt.toString('base64url')}$${key.toString('base64url')}`;
}

/** Compares in constant time; a hash of another form matches nothing. */
export async function passwordMatches(password: string, hash: string): Promise<boolean> {
  const [scheme, salt, key] = hash.split('$');
  const expected = Buffer.from(key ?? '', 'base64url');
  if (scheme !== 'scrypt' || !salt || expected.length !== KEY_BYTES) return false;
  const derived = await derive(password, Buffer.from(salt, 'base64url'));
  // No password contains a NUL: scrypt begins with HMAC, which treats a key and the same key with trailing zeros
  // as equal. Checked last, so that every password costs the same.
  return timingSafeEqual(derived, expected) && !password.includes('\0');
}
