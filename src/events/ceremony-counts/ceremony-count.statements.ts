import type { Scope } from '../../platform/database/scope.js';
import { select, sql } from '../../platform/database/statement.js';
import { forEachKind, tableOf } from '../../platform/database/entities/table.js';
import { CeremonyCount } from './ceremony-count.entity.js';

const count = tableOf(CeremonyCount);
const KEY = ['relyingPartyId', 'week', 'kind', 'step', 'browser', 'detail'] as const;
const INSERT = `INSERT INTO ${count.row(...KEY, 'tenantId', 'n')}`;

/** Adds n to the count, which all instances share. */
export const ADD_TO_COUNT = forEachKind((kind) =>
  sql<CeremonyCount>(
    kind === 'sqlite'
      ? `${INSERT} ON CONFLICT (${count.list(...KEY)})
        DO UPDATE SET ${count.n} = ${count.n} + excluded.${count.n}`
      : `${INSERT} ON DUPLICATE KEY UPDATE ${count.n} = ${count.n} + VALUES(${count.n})`,
  ),
);

export const COUNTS_SINCE = select(count.pick('week', 'kind', 'step', 'browser', 'detail', 'n'))
  .from<Scope & { week: number }>(`
    ${count.from} WHERE ${count.scope} AND ${count.week} >= :week`);

export const DELETE_COUNTS = sql<{ week: number }>(
  `DELETE FROM ${count.from} WHERE ${count.week} < :week`,
);
