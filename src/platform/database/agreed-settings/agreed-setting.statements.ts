import { sql } from '../statement.js';
import { eachKind, tableOf } from '../entities/table.js';
import { AgreedSetting } from './agreed-setting.entity.js';

const setting = tableOf(AgreedSetting);
const INSERT = `INSERT INTO ${setting.row(...setting.names)}`;

export const ANNOUNCE_SETTING = eachKind((kind) =>
  sql<AgreedSetting>(
    kind === 'sqlite'
      ? `${INSERT} ON CONFLICT (${setting.list('name', 'value')})
        DO UPDATE SET ${setting.usedAt} = excluded.${setting.usedAt}`
      : `${INSERT} ON DUPLICATE KEY UPDATE ${setting.usedAt} = VALUES(${setting.usedAt})`,
  ),
);

/** Finds the longest value that a server has used since a time. */
export const LONGEST_SETTING = sql<{ name: string; since: number }, { value: number | null }>(
  `SELECT MAX(${setting.value}) AS value FROM ${setting.from}
  WHERE ${setting.name} = :name AND ${setting.usedAt} >= :since`,
);
