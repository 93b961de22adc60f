import { v7 } from 'uuid';
import { pooledRandomBytes } from '../common/random.js';

/**
 * Returns a new primary key: UUIDv7 as 16 bytes, made by the program so that the database need not number rows.
 *
 * @param at time that the key begins with, in milliseconds since 1970; now by default
 */
export function newId(at?: number): Buffer {
  const random = pooledRandomBytes(16);
  return v7(at === undefined ? { random } : { random, msecs: at }, Buffer.allocUnsafe(16));
}

/** The smallest ID that begins with a time: rows created at that time or later have this ID or a greater one. */
export function idFrom(at: number): Buffer {
  const id = Buffer.alloc(16);
  id.writeUIntBE(at, 0, 6);
  return id;
}

/** No row has this ID, which is less than every other: a column names nobody by it. */
export const NO_ID = Buffer.alloc(16);

/** Less than every ID, hash and name: where a read in their order begins. */
export const BEGINNING = Buffer.alloc(0);

/** Later than the time of any row, and the greatest with which an ID can begin. */
export const END_OF_TIME = 2 ** 48 - 1;

/** The time with which an ID begins, in milliseconds since 1970. */
export const timeOfId = (id: Buffer): number => id.readUIntBE(0, 6);

/** The bytes of an ID or a hash as a text, for the keys of maps and sets. */
export const mapKey = (bytes: Buffer): string => bytes.toString('latin1');

export const bytesOfMapKey = (key: string): Buffer => Buffer.from(key, 'latin1');

export const distinctBytes = (list: readonly Buffer[]): Buffer[] => [
  ...new Map(list.map((bytes) => [mapKey(bytes), bytes])).values(),
];
