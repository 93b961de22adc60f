import type { EntityMetadata } from 'typeorm';

/** Whose words the catalogue speaks: MariaDB's differs from MySQL's where nothing was said. */
export type Dialect = 'sqlite' | 'mysql' | 'mariadb';

/** MySQL's types of bytes, all of which are blobs on SQLite. */
export const BYTE_TYPES: readonly unknown[] = ['binary', 'varbinary', 'longblob'];

/**
 * Entities are written in MySQL's words. This makes of TypeORM's metadata what the migrations make on
 * the database at hand, so that comparing the two finds no difference.
 */
export function adaptMetadata(entities: readonly EntityMetadata[], dialect: Dialect): void {
  for (const entity of entities) {
    if (dialect === 'sqlite') adaptColumns(entity);
    if (dialect === 'mariadb') adaptForeignKeys(entity);
  }
}

/** SQLite's blobs have no length, and its texts compare byte for byte as they are. */
function adaptColumns({ columns }: EntityMetadata): void {
  for (const column of columns) {
    delete column.charset;
    delete column.collation;
    if (!BYTE_TYPES.includes(column.type)) continue;
    column.type = 'blob';
    column.length = '';
  }
}

/** Where a key says nothing of updates, MariaDB's catalogue says RESTRICT, which is the same. */
function adaptForeignKeys({ foreignKeys }: EntityMetadata): void {
  for (const key of foreignKeys) {
    if (key.onUpdate === 'NO ACTION') key.onUpdate = 'RESTRICT';
  }
}
