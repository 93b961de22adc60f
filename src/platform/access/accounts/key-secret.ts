import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const MARK = 'sfk_';
const SECRET_BYTES = 32;
const CHECKSUM_BYTES = 4;
const SHOWN_LENGTH = MARK.length + 8;
/** 43 characters are the random bytes, 6 the checksum. */
const FORM = /^sfk_([\w-]{43})([\w-]{6})$/;
const BEARER = /^Bearer +(sfk_.*)$/i;

/**
 * A new secret of an application key: `sfk_`, 32 random bytes as Base64URL, and the CRC-32 of those 43
 * characters (big-endian, Base64URL), by which a scanner of source code distinguishes a key from a chance match.
 */
export function newSecret(): string {
  const random = randomBytes(SECRET_BYTES).toString('base64url');
  return MARK + random + checksumOf(random);
}

/** Whether the text can be a secret: no look-up is spent on one that was mistyped or cut off. */
export function isSecret(text: string): boolean {
  const [, random, checksum] = FORM.exec(text) ?? [];
  return random !== undefined && checksumOf(random) === checksum;
}

/** The beginning of a secret, by which people and logs name it; 208 random bits remain hidden. */
export const shownOf = (secret: string): string => secret.slice(0, SHOWN_LENGTH);

/** The hash that is stored of a secret. A plain hash is enough: nobody finds a random secret by trying. */
export const secretHash = (secret: string): Buffer => hash('sha256', secret, 'buffer');

/** The application key in an `Authorization` header, be it valid or not; `undefined` for any other header. */
export const secretIn = (authorization: string | undefined): string | undefined =>
  authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];

function checksumOf(random: string): string {
  const bytes = Buffer.alloc(CHECKSUM_BYTES);
  bytes.writeUInt32BE(crc32(random));
  return bytes.toString('base64url');
}
