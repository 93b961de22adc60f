import { randomFillSync } from 'node:crypto';

const POOL_BYTES = 4096;
const pool = Buffer.alloc(POOL_BYTES);
let used = POOL_BYTES;

/**
 * Takes random bytes from a pool, which returns each byte once and then erases it. Asking the operating system for
 * each challenge and ID takes 15 times as long (see docs/architecture.md).
 */
function taken<T>(bytes: number, read: (pool: Buffer, from: number, to: number) => T): T {
  if (used + bytes > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  const from = used;
  used += bytes;
  const result = read(pool, from, used);
  pool.fill(0, from, used);
  return result;
}

export const randomText = (bytes: number): string =>
  taken(bytes, (source, from, to) => source.toString('base64url', from, to));

/** Random bytes, up to a few hundred at a time. */
export const pooledRandomBytes = (bytes: number): Buffer =>
  taken(bytes, (source, from, to) => Buffer.from(source.subarray(from, to)));
