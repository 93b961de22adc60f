import { tableOf } from '../../platform/database/entities/table.js';
import type { DatabaseKind } from '../../platform/database/columns.js';
import { CeremonyCount } from './ceremony-count.entity.js';

const count = tableOf(CeremonyCount);
const KEY = ['relyingPartyId', 'week', 'kind', 'step', 'browser', 'detail'] as const;
const INSERT = `INSERT INTO ${count.from} (${count.list(...KEY, 'tenantId', 'n')})
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;

/** Parameters: the key, tenant, n. Adds n to the count, which all instances share. */
export const ADD_TO_COUNT: Readonly<Record<DatabaseKind, string>> = {
  sqlite: `${INSERT} ON CONFLICT (${count.list(...KEY)})
    DO UPDATE SET ${count.n} = ${count.n} + excluded.${count.n}`,
  mysql: `${INSERT} ON DUPLICATE KEY UPDATE ${count.n} = ${count.n} + VALUES(${count.n})`,
};

/** Parameters: rp, week. Finds the counts from that week on. */
export const COUNTS_SINCE = `SELECT ${count.select('week', 'kind', 'step', 'browser', 'detail', 'n')}
  FROM ${count.from} WHERE ${count.positionalScope} AND ${count.week} >= ?`;

/** Parameters: week. Deletes the counts of earlier weeks. */
export const DELETE_COUNTS = `DELETE FROM ${count.from} WHERE ${count.week} < ?`;
