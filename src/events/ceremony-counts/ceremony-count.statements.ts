import type { Scope } from '../../platform/database/scope.js';
import { select, sql } from '../../platform/database/statement.js';
import { forEachKind, tableOf } from '../../platform/database/entities/table.js';
import { CeremonyCount } from './ceremony-count.entity.js';

const counts = tableOf(CeremonyCount);
const KEY = ['relyingPartyId', 'week', 'kind', 'step', 'browser', 'detail'] as const;
const INSERT = `INSERT INTO ${counts.row(...KEY, 'tenantId', 'n')}`;

/** Adds n to the count, which all instances share. */
export const ADD_TO_COUNT = forEachKind((kind) =>
  sql<CeremonyCount>(
    kind === 'sqlite'
      ? `${INSERT} ON CONFLICT (${counts.list(...KEY)})
        DO UPDATE SET ${counts.n} = ${counts.n} + excluded.${counts.n}`
      : `${INSERT} ON DUPLICATE KEY UPDATE ${counts.n} = ${counts.n} + VALUES(${counts.n})`,
  ),
);

export const COUNTS_SINCE = select(counts.pick('week', 'kind', 'step', 'browser', 'detail', 'n'))
  .from<Scope & { week: number }>(`
    ${counts.from} WHERE ${counts.scope} AND ${counts.week} >= :week`);

export const DELETE_COUNTS = sql<{ week: number }>(
  `DELETE FROM ${counts.from} WHERE ${counts.week} < :week`,
);
