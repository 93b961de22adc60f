import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { crc32 } from 'node:zlib';
import { sha256 } from '../../common/sha256.js';

const MARK = 'sfk_';
const SECRET_BYTES = 32;
const CHECKSUM_BYTES = 4;
const SHOWN_LENGTH = MARK.length + 8;
/** 43 characters are the random bytes, 6 the checksum. */
const FORM = /^sfk_([\w-]{43})([\w-]{6})$/;
const BEARER = /^Bearer\s+(sfk_.*)$/i;

/**
 * Returns a new secret for an application key: `sfk_`, 32 random bytes as Base64URL, and the CRC-32 of those 43
 * characters (big-endian, Base64URL), with which a scanner of source code tells a key from a chance match.
 */
export function newKeySecret(): string {
  const random = randomBytes(SECRET_BYTES).toString('base64url');
  return MARK + random + checksumOf(random);
}

/** Whether the text has the form of a secret: a mistyped or truncated one needs no lookup. */
export function isSecret(text: string): boolean {
  const [, random, checksum] = FORM.exec(text) ?? [];
  return random !== undefined && checksumOf(random) === checksum;
}

/** The beginning of a secret, which pages and logs show; 208 random bits remain hidden. */
export const visiblePrefix = (secret: string): string => secret.slice(0, SHOWN_LENGTH);

/** The stored hash of a secret. A plain hash is enough: a random secret cannot be guessed. */
export const secretHash = (secret: string): Buffer => sha256(secret);

/** The application key in an `Authorization` header, valid or not; `undefined` for any other header. */
export const secretIn = (authorization: string | undefined): string | undefined =>
  authorization === undefined ? undefined : BEARER.exec(authorization)?.[1];

/** Whether the address or a header contains an application key where this server reads none. */
export const hasMisplacedKey = ({ url = '', headers }: IncomingMessage): boolean =>
  url.includes(MARK) ||
  (secretIn(headers.authorization) === undefined &&
    Object.values(headers).some((value) => value?.includes(MARK)));

function checksumOf(random: string): string {
  const bytes = Buffer.alloc(CHECKSUM_BYTES);
  bytes.writeUInt32BE(crc32(random));
  return bytes.toString('base64url');
}
