import type { TableForeignKeyOptions, TableIndexOptions, TableUniqueOptions } from 'typeorm';

export const unique = (name: string, ...columnNames: string[]): TableUniqueOptions => ({
  name,
  columnNames,
});

export const index = (name: string, ...columnNames: string[]): TableIndexOptions => ({
  name,
  columnNames,
});

/** A unique index, which later migrations can drop without copying the table on SQLite. */
export const uniqueIndex = (name: string, ...columnNames: string[]): TableIndexOptions => ({
  name,
  columnNames,
  isUnique: true,
});

/** A foreign key to the ID of a row: it is deleted with that row. */
export const cascade = (
  name: string,
  columnName: string,
  referencedTableName: string,
): TableForeignKeyOptions => ({
  name,
  columnNames: [columnName],
  referencedTableName,
  referencedColumnNames: ['id'],
  onDelete: 'CASCADE',
});
