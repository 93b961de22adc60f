import { randomBytes } from 'node:crypto';

const POOL_BYTES = 4096;
let pool = Buffer.alloc(0);

/**
 * Random bytes as Base64URL, from a pool that is used up once: asking the operating system for each
 * challenge and session name costs more than the rest of making one.
 */
export function randomText(bytes: number): string {
  if (pool.length < bytes) pool = randomBytes(POOL_BYTES);
  const text = pool.toString('base64url', 0, bytes);
  pool.fill(0, 0, bytes);
  pool = pool.subarray(bytes);
  return text;
}
