import type { DatabaseKind } from '../columns.js';
import { tableOf } from '../entities/table.js';
import { AgreedSetting } from './agreed-setting.entity.js';

const setting = tableOf(AgreedSetting);
const INSERT = `INSERT INTO ${setting.from} (${setting.list('name', 'value', 'usedAt')})
  VALUES (?, ?, ?)`;

/** Parameters: name, value, used at. */
export const ANNOUNCE_SETTING: Readonly<Record<DatabaseKind, string>> = {
  sqlite: `${INSERT} ON CONFLICT (${setting.list('name', 'value')})
    DO UPDATE SET ${setting.usedAt} = excluded.${setting.usedAt}`,
  mysql: `${INSERT} ON DUPLICATE KEY UPDATE ${setting.usedAt} = VALUES(${setting.usedAt})`,
};

/** Parameters: name, since. Finds the longest value that a server has used since then. */
export const LONGEST_SETTING = `SELECT MAX(${setting.value}) AS value FROM ${setting.from}
  WHERE ${setting.name} = ? AND ${setting.usedAt} >= ?`;
