import type { ValueTransformer } from 'typeorm';

/**
 * Column types of entities and migrations under their MySQL and MariaDB names. For SQLite, `SqliteDriver` and
 * `adaptMetadata` translate those of entities, and `columnFor` those of migrations.
 */

/** Compares texts byte for byte. */
const BINARY_TEXT = { charset: 'utf8mb4', collation: 'utf8mb4_bin' } as const;

/** MySQL's types of bytes, all of which are blobs on SQLite. */
export const BYTE_TYPES: readonly unknown[] = ['binary', 'varbinary', 'longblob'];

/** Up to `length` bytes, never padded. */
export const bytes = (length: number) => ({ type: 'varbinary', length }) as const;

export const fixedBytes = (length: number) => ({ type: 'binary', length }) as const;

/** Bytes without a limit of ours. */
export const LARGE_BYTES = { type: 'longblob' } as const;

/** Milliseconds since 1970 UTC, or another whole number below 2^53. */
export const WHOLE = { type: 'bigint' } as const;

/** A whole number below 2^31. */
export const SMALL = { type: 'integer' } as const;

export const FLAG = { type: 'boolean' } as const;

export const words = (length: number) => ({ type: 'varchar', length, ...BINARY_TEXT }) as const;

export const TEXT = { type: 'text', ...BINARY_TEXT } as const;

/** A text that contains JSON; the entity has the parsed value. */
export const JSON_TEXT = { type: 'simple-json', ...BINARY_TEXT } as const;

/** Entity column that stores text as its UTF-8 bytes. */
export const utf8Bytes: ValueTransformer = {
  to: (text?: string) => (text === undefined ? text : Buffer.from(text, 'utf8')),
  from: (stored: Buffer) => stored.toString('utf8'),
};

/** A property whose column contains another type, which drivers return to statements in SQL. */
export interface StoredAs<S> {
  readonly storedAs?: S;
}

/** A text with the transformer `utf8Bytes`. */
export type Encoded = string & StoredAs<Buffer>;

/** The value of a `JSON_TEXT`. */
export type Json<T> = T & StoredAs<string>;
