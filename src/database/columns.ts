import type { ValueTransformer } from 'typeorm';
import { v7 } from 'uuid';

/**
 * The database's kind decides how bytes are stored: `VARBINARY` on MySQL and MariaDB, since
 * `utf8mb4_bin` takes 'a' and 'a ' for equal, and `BLOB` on SQLite. Both compare byte for byte.
 */
export type DatabaseKind = 'sqlite' | 'mysql';

/** A new primary key: UUIDv7 as 16 bytes, made by the program so that no database need count. */
export function newId(): Buffer {
  return v7(undefined, Buffer.allocUnsafe(16));
}

/** Entity column that holds text as its UTF-8 bytes. */
export const utf8Bytes: ValueTransformer = {
  to: (text?: string) => (text === undefined ? text : Buffer.from(text, 'utf8')),
  from: (bytes: Buffer) => bytes.toString('utf8'),
};
