import type { Scope } from '../../platform/database/scope.js';
import { sql, type NoParams } from '../../platform/database/statement.js';
import type { KindCount, MonthCounts, UsageDay } from '../figures.js';
import { namedParameters, tableOf } from '../../platform/database/entities/table.js';
import { Move } from '../../users/moves/move.entity.js';
import { EventEntity } from '../../events/event.entity.js';
import type { EventRange } from '../../events/event.statements.js';
import { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';
import { Tenant } from '../../tenancy/tenant.entity.js';
import { ActiveUser, UsageDayEntity, UsageProgress } from './usage.entity.js';

/*
 * Statements that count the ledger of all relying parties; each scans a range of events or days. Ranges of
 * events are given as IDs; the end of a range is exclusive.
 */

const e = tableOf(EventEntity, 'e');
const event = tableOf(EventEntity);
const a = tableOf(ActiveUser, 'a');
const active = tableOf(ActiveUser);
const m = tableOf(Move, 'm');
const o = tableOf(Move, 'o');
const d = tableOf(UsageDayEntity, 'd');
const day = tableOf(UsageDayEntity);
const progress = tableOf(UsageProgress);
const r = tableOf(RelyingPartyEntity, 'r');
const relyingParty = tableOf(RelyingPartyEntity);
const tenant = tableOf(Tenant);

/** An invoice counts a quarter of an hour at once: ten seconds' work at a thousand sign-ins per second. */
const PATIENT = { patienceMs: 30_000 };

/** The time up to which events are counted. */
export const USAGE_UPTO = sql<NoParams, { upto: number }>(
  `SELECT ${progress.upto} FROM ${progress.from} WHERE ${progress.id} = 1`,
);

/** Starts the count; throws if there is a row already. */
export const BEGIN_COUNTING = sql(`INSERT INTO ${progress.from}
  (${progress.list('id', 'upto')}) VALUES (1, 0)`);

/** Changes nothing if another instance has counted further. */
export const COUNTED_UPTO = sql<{ from: number; to: number }>(`UPDATE ${progress.from}
  SET ${progress.upto} = :to WHERE ${progress.id} = 1 AND ${progress.upto} = :from`);

export const LAST_EVENT = sql<{ to: Buffer }, { id: Buffer }>(
  `SELECT ${event.id} FROM ${event.from} WHERE ${event.id} < :to ORDER BY ${event.id} DESC LIMIT 1`,
);

/** The credential's state for imports and deletions; NULL for other kinds. */
const STATE = `CASE WHEN ${event.kind} IN ('deleted', 'imported') THEN ${event.detail} END`;

export const TALLIES = sql<EventRange, KindCount & { relyingPartyId: Buffer }>(
  `SELECT ${event.select('relyingPartyId', 'kind')}, ${STATE} AS detail, COUNT(*) AS n
  FROM ${event.from} WHERE ${event.id} >= :from AND ${event.id} < :to
  GROUP BY ${event.list('relyingPartyId', 'kind')}, ${STATE}`,
  PATIENT,
);

/*
 * A user who moved from an old domain to a new one is counted as one user, at the new one. For an event of
 * the user at the old domain, `o` is the move; for one at the new domain, `m` is.
 */
const USER = `COALESCE(${o.userId}, ${e.userId})`;
const USER_RP = `COALESCE(${o.relyingPartyId}, ${e.relyingPartyId})`;
const FORMER_USER = `COALESCE(${m.formerUserId}, ${o.formerUserId})`;
const FORMER_RP = `COALESCE(${m.formerRelyingPartyId}, ${o.formerRelyingPartyId})`;
const MOVED = `LEFT JOIN ${o.from} ON ${o.formerUserId} = ${e.userId} AND ${o.movedAt} > 0
  LEFT JOIN ${m.from} ON ${m.userId} = ${e.userId}`;

/** The user was not active in the month before a given time. */
const NOT_ACTIVE = (who: string) => `NOT EXISTS (SELECT 1 FROM ${a.from}
      WHERE ${a.month} = :month AND ${who} AND ${a.since} < :since)`;

interface MonthRange extends EventRange {
  readonly month: number;
  readonly since: number;
}

/** Events of users who had not been active in that month before the time `since`. */
const OF_NEWLY_ACTIVE = `FROM ${e.from} ${MOVED}
  WHERE ${e.id} >= :from AND ${e.id} < :to AND ${e.kind} IN ('registration', 'authentication')
    AND ${NOT_ACTIVE(`${a.relyingPartyId} = ${USER_RP} AND ${a.userId} = ${USER}`)}
    AND ${NOT_ACTIVE(`${a.relyingPartyId} = ${FORMER_RP} AND ${a.userId} = ${FORMER_USER}`)}`;

export const COUNT_NEWLY_ACTIVE = sql<MonthRange, { relyingPartyId: Buffer; n: number }>(
  `SELECT ${USER_RP} AS relyingPartyId, COUNT(DISTINCT ${USER}) AS n
  ${OF_NEWLY_ACTIVE} GROUP BY ${USER_RP}`,
  PATIENT,
);

/** Stores the users that `COUNT_NEWLY_ACTIVE` counts. */
export const ACTIVATE = sql<MonthRange>(`INSERT INTO ${active.from}
    (${active.list('month', 'since', 'tenantId', 'relyingPartyId', 'userId')})
  SELECT DISTINCT :month, :since, ${e.tenantId}, ${USER_RP}, ${USER} ${OF_NEWLY_ACTIVE}`);

/** Some rows of earlier months. */
export const ACTIVE_BEFORE = sql<
  { month: number; limit: number },
  Pick<ActiveUser, 'month' | 'relyingPartyId' | 'userId'>
>(`SELECT ${active.select('month', 'relyingPartyId', 'userId')}
  FROM ${active.from} WHERE ${active.month} < :month LIMIT :limit`);

export const DELETE_ACTIVE = sql<Pick<ActiveUser, 'month' | 'relyingPartyId' | 'userId'>>(
  `DELETE FROM ${active.from} WHERE ${active.month} = :month
    AND ${active.relyingPartyId} = :relyingPartyId AND ${active.userId} = :userId`,
);

const FIGURES = [
  'registrations',
  'authentications',
  'users',
  'enabled',
  'disabled',
  'activeUsers',
  'events',
] as const satisfies readonly (keyof UsageDay)[];

export const LAST_DAY = sql<{ relyingPartyId: Buffer }, UsageDay>(
  `SELECT ${day.select('day', ...FIGURES)} FROM ${day.from}
  WHERE ${day.relyingPartyId} = :relyingPartyId ORDER BY ${day.day} DESC LIMIT 1`,
);

/** The statement looks up the tenant. */
export const INSERT_DAY = sql<
  UsageDay & Pick<UsageDayEntity, 'relyingPartyId' | 'month'>
>(`INSERT INTO ${day.from}
    (${day.list('relyingPartyId', 'day', 'month', ...FIGURES, 'tenantId')})
  VALUES (:relyingPartyId, :day, :month, ${namedParameters(FIGURES)},
    (SELECT ${relyingParty.tenantId} FROM ${relyingParty.from}
      WHERE ${relyingParty.id} = :relyingPartyId))`);

export const UPDATE_DAY = sql<UsageDay & Pick<UsageDayEntity, 'relyingPartyId'>>(
  `UPDATE ${day.from} SET ${FIGURES.map((figure) => `${day[figure]} = :${figure}`).join(', ')}
  WHERE ${day.relyingPartyId} = :relyingPartyId AND ${day.day} = :day`,
);

export const RELYING_PARTIES = sql<NoParams, Pick<RelyingPartyEntity, 'id' | 'tenantId'>>(
  `SELECT ${relyingParty.select('id', 'tenantId')} FROM ${relyingParty.from}`,
);

/** Days without a tenant, counted by an instance of the previous version. */
const WITHOUT_TENANT = `${day.relyingPartyId} = :id AND ${day.tenantId} IS NULL`;
export const DAY_WITHOUT_TENANT = sql<{ id: Buffer }, { day: number }>(
  `SELECT ${day.day} FROM ${day.from} WHERE ${WITHOUT_TENANT} LIMIT 1`,
);
export const FILL_IN_TENANT = sql<{ id: Buffer; tenantId: Buffer }>(
  `UPDATE ${day.from} SET ${day.tenantId} = :tenantId WHERE ${WITHOUT_TENANT}`,
);

const SIGN_INS = ['relyingPartyId', 'day', 'registrations', 'authentications'] as const;
export type DayRow = Pick<UsageDayEntity, (typeof SIGN_INS)[number]>;

export const DAYS_SINCE = sql<{ day: number }, DayRow>(
  `SELECT ${day.select(...SIGN_INS)} FROM ${day.from} WHERE ${day.day} >= :day`,
);

/** As the statement above, for one relying party. */
export const DAYS_OF = sql<Scope & { day: number }, DayRow>(
  `SELECT ${day.select(...SIGN_INS)} FROM ${day.from} WHERE ${day.scope} AND ${day.day} >= :day`,
);

/** Sums over days, as numbers: MySQL and MariaDB would return them as text. */
const SUMS = (['registrations', 'authentications'] as const)
  .map((figure) => `CAST(SUM(${day[figure]}) AS SIGNED) AS ${figure}`)
  .join(', ');

/** The usage of each relying party in each month of a range of days. */
export const MONTHS = sql<
  { from: number; to: number },
  Pick<
    UsageDayEntity,
    'relyingPartyId' | 'month' | 'registrations' | 'authentications' | 'activeUsers'
  >
>(`SELECT ${day.select('relyingPartyId', 'month')}, ${SUMS},
    MAX(${day.activeUsers}) AS activeUsers
  FROM ${day.from} WHERE ${day.day} >= :from AND ${day.day} < :to
  GROUP BY ${day.list('relyingPartyId', 'month')}`);

export interface Period {
  /** Milliseconds since 1970; `end` is exclusive. */
  readonly begin: number;
  readonly end: number;
  /** Its last day. */
  readonly day: number;
}

/** The last row of a relying party; zeros if it has none. */
const LAST_COUNTS = (['day', 'users', 'enabled', 'disabled', 'activeUsers'] as const)
  .map((figure) => `COALESCE(${d[figure]}, 0) AS ${figure}`)
  .join(', ');

interface CountedRow extends MonthCounts {
  readonly upto: number;
  /** `null` if no relying party existed in the period. */
  readonly id: Buffer | null;
  readonly tenantId: Buffer;
  readonly domain: string;
}

/**
 * Each relying party that existed in a period, its last row, and its sums. A single statement, so that `upto`
 * matches the sums.
 */
export const USAGE_OF_PERIOD = sql<Period & { firstDay: number }, CountedRow>(
  `SELECT p.upto, ${r.select('id', 'tenantId', 'domain', 'closedAt')},
    ${LAST_COUNTS}, COALESCE(sums.registrations, 0) AS registrations,
    COALESCE(sums.authentications, 0) AS authentications
  FROM (SELECT COALESCE(MAX(${progress.upto}), 0) AS upto FROM ${progress.from}) p
  LEFT JOIN ${r.from} ON ${r.createdAt} < :end AND (${r.closedAt} = 0 OR ${r.closedAt} >= :begin)
  LEFT JOIN ${d.from} ON ${d.relyingPartyId} = ${r.id} AND ${d.day} =
    (SELECT MAX(${day.day}) FROM ${day.from} WHERE ${day.relyingPartyId} = ${r.id} AND ${day.day} <= :day)
  LEFT JOIN (SELECT ${day.relyingPartyId} AS rp, ${SUMS} FROM ${day.from}
    WHERE ${day.day} BETWEEN :firstDay AND :day GROUP BY ${day.relyingPartyId}) sums ON sums.rp = ${r.id}
  ORDER BY ${r.domain}, ${r.createdAt}, ${r.id}`,
);

export const TENANTS_OF_PERIOD = sql<
  Period,
  Pick<Tenant, 'id' | 'name' | 'displayName' | 'closedAt'>
>(`SELECT ${tenant.select('id', 'name', 'displayName', 'closedAt')}
  FROM ${tenant.from}
  WHERE ${tenant.createdAt} < :end AND (${tenant.closedAt} = 0 OR ${tenant.closedAt} >= :begin)
  ORDER BY ${tenant.list('name', 'createdAt', 'id')}`);

export const TENANT_EVER = sql<{ name: string }, { id: Buffer }>(
  `SELECT ${tenant.id} FROM ${tenant.from} WHERE ${tenant.name} = :name LIMIT 1`,
);
