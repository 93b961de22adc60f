import { sql } from '../statement.js';
import type { NoParams } from '../statement.js';
import { tableOf } from '../entities/table.js';
import { DirectoryVersionEntity } from './directory-version.entity.js';

const directory = tableOf(DirectoryVersionEntity);

/**
 * No other statement reads this row: as part of a statement that writes, the read would wait for changes that
 * are under way.
 */
export const DIRECTORY_VERSION = sql<NoParams, { version: number }>(
  `SELECT ${directory.version} FROM ${directory.from} WHERE ${directory.id} = 1`,
);

export const RAISE_DIRECTORY_VERSION = sql(`UPDATE ${directory.from}
  SET ${directory.version} = ${directory.version} + 1 WHERE ${directory.id} = 1`);
