import type { QueryRunner, TableColumnOptions } from 'typeorm';

/** Columns that mean the same on SQLite and on MySQL or MariaDB. */
export function columnsFor(queryRunner: QueryRunner) {
  const mysql = queryRunner.connection.options.type === 'mysql';
  return {
    mysql,
    /** Up to `length` bytes, compared byte for byte, never padded. */
    bytes: (name: string, length: number, more: Partial<TableColumnOptions> = {}) =>
      mysql
        ? { name, type: 'varbinary', length: String(length), ...more }
        : { name, type: 'blob', ...more },
    /** Exactly `length` bytes. */
    fixedBytes: (name: string, length: number, more: Partial<TableColumnOptions> = {}) =>
      mysql
        ? { name, type: 'binary', length: String(length), ...more }
        : { name, type: 'blob', ...more },
    /** Bytes without a limit of ours. */
    largeBytes: (name: string, more: Partial<TableColumnOptions> = {}) => ({
      name,
      type: mysql ? 'longblob' : 'blob',
      ...more,
    }),
    /** A whole number below 2^31. */
    small: (name: string, more: Partial<TableColumnOptions> = {}) => ({
      name,
      type: 'integer',
      ...more,
    }),
    /** Milliseconds since 1970 UTC, or another whole number below 2^53. */
    whole: (name: string, more: Partial<TableColumnOptions> = {}) => ({
      name,
      type: 'bigint',
      ...more,
    }),
    flag: (name: string, more: Partial<TableColumnOptions> = {}) => ({
      name,
      type: 'boolean',
      ...more,
    }),
    words: (name: string, length: number, more: Partial<TableColumnOptions> = {}) => ({
      name,
      type: 'varchar',
      length: String(length),
      ...(mysql ? { charset: 'utf8mb4', collation: 'utf8mb4_bin' } : {}),
      ...more,
    }),
    text: (name: string, more: Partial<TableColumnOptions> = {}) => ({
      name,
      type: 'text',
      ...(mysql ? { charset: 'utf8mb4', collation: 'utf8mb4_bin' } : {}),
      ...more,
    }),
  };
}

export type Columns = ReturnType<typeof columnsFor>;
