import type { EntityMetadata } from 'typeorm';

/** Dialect of the database's catalogue: MariaDB's and MySQL's report defaults differently. */
export type Dialect = 'sqlite' | 'mysql' | 'mariadb';

/** MySQL's types of bytes, all of which are blobs on SQLite. */
export const BYTE_TYPES: readonly unknown[] = ['binary', 'varbinary', 'longblob'];

/**
 * Entities are written with MySQL's column types. This adapts TypeORM's metadata to what the migrations
 * create on the database in use, so that comparing the two finds no difference.
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

/** MariaDB's catalogue reports RESTRICT for a key without ON UPDATE, which means the same as NO ACTION. */
function adaptForeignKeys({ foreignKeys }: EntityMetadata): void {
  for (const key of foreignKeys) {
    if (key.onUpdate === 'NO ACTION') key.onUpdate = 'RESTRICT';
  }
}
