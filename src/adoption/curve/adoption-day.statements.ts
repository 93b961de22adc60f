import type { Scope } from '../../platform/database/scope.js';
import { sql } from '../../platform/database/statement.js';
import { forEachKind, tableOf } from '../../platform/database/entities/table.js';
import { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';
import { AdoptionDay } from './adoption-day.entity.js';

const days = tableOf(AdoptionDay);
const relyingParties = tableOf(RelyingPartyEntity);
export type DayCounts = Pick<AdoptionDay, 'day' | 'users' | 'withKey'>;
const COUNTS = ['users', 'withKey'] as const;

const INSERT = `INSERT INTO ${days.from} (${days.list('relyingPartyId', 'tenantId', 'day', ...COUNTS)})
  SELECT ${relyingParties.id}, ${relyingParties.tenantId}, :day, :users, :withKey FROM ${relyingParties.from}
  WHERE ${relyingParties.id} = :relyingPartyId AND ${relyingParties.tenantId} = :tenantId`;

/** Stores the counts of a day, in place of earlier ones. Does nothing if the relying party was removed meanwhile. */
export const STORE_DAY = forEachKind((kind) => {
  const onConflict =
    kind === 'sqlite'
      ? `ON CONFLICT (${days.list('relyingPartyId', 'day')}) DO UPDATE SET`
      : 'ON DUPLICATE KEY UPDATE';
  const latest = (column: string) =>
    `${column} = ${kind === 'sqlite' ? `excluded.${column}` : `VALUES(${column})`}`;
  return sql<Scope & DayCounts>(
    `${INSERT} ${onConflict} ${COUNTS.map((name) => latest(days[name])).join(', ')}`,
  );
});

export const DELETE_DAYS = sql<Scope & { before: number }>(
  `DELETE FROM ${days.from} WHERE ${days.scope} AND ${days.day} < :before`,
);
