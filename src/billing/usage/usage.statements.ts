import type { Scope } from '../../platform/database/scope.js';
import { columnsText, select, sql, type RowOf } from '../../platform/database/statement.js';
import {
  computed,
  COUNT,
  forEachKind,
  namedParameters,
  orNull,
  orNullAll,
  tableOf,
} from '../../platform/database/entities/table.js';
import { Move } from '../../users/moves/move.entity.js';
import { EventEntity } from '../../events/event.entity.js';
import type { EventRange } from '../../events/event.statements.js';
import { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';
import { Tenant } from '../../tenancy/tenant.entity.js';
import type { UsageDay } from './usage-figures.js';
import { ActiveUser, UsageDayEntity, UsageProgress } from './usage.entity.js';

/*
 * Statements that count the ledger of all relying parties; each scans a range of events or days. Ranges of
 * events are given as IDs; the end of a range is exclusive.
 */

const event = tableOf(EventEntity, 'e');
const events = tableOf(EventEntity);
const activeUser = tableOf(ActiveUser, 'a');
const activeUsers = tableOf(ActiveUser);
const arrival = tableOf(Move, 'm');
const departure = tableOf(Move, 'o');
const usageDay = tableOf(UsageDayEntity, 'd');
const usageDays = tableOf(UsageDayEntity);
const progress = tableOf(UsageProgress);
const relyingParty = tableOf(RelyingPartyEntity, 'r');
const relyingParties = tableOf(RelyingPartyEntity);
const successor = tableOf(RelyingPartyEntity, 'sr');
const predecessor = tableOf(RelyingPartyEntity, 'pr');
const tenants = tableOf(Tenant);

/** An invoice counts a quarter of an hour at once: ten seconds' work at a thousand sign-ins per second. */
const PATIENT = { patienceMs: 30_000 };

/** Changes nothing if another instance has counted further. */
export const COUNTED_UPTO = sql<{ from: number; to: number }>(`UPDATE ${progress.from}
  SET ${progress.upto} = :to WHERE ${progress.id} = 1 AND ${progress.upto} = :from`);

export const LAST_EVENT = select(events.pick('id')).from<{ to: Buffer }>(
  `${events.from} WHERE ${events.id} < :to ORDER BY ${events.id} DESC LIMIT 1`,
);

/** The credential's state for imports and deletions; NULL for other kinds. */
const STATE = `CASE WHEN ${events.kind} IN ('deleted', 'imported') THEN ${events.detail} END`;

export const TALLIES = select({
  ...events.pick('relyingPartyId', 'kind'),
  detail: computed<string | null>(STATE),
  ...COUNT,
}).from<EventRange>(
  `${events.from} WHERE ${events.id} >= :from AND ${events.id} < :to
  GROUP BY ${events.list('relyingPartyId', 'kind')}, ${STATE}`,
  PATIENT,
);

/*
 * Users of a move. An event at the successor may be one of the predecessor's user, who signs in with an old key;
 * `departure` leads to the user at the successor. During the move it also does for an event at the predecessor. Links
 * outlive their move: an ended one leads nowhere from the predecessor. `arrival` leads back from the event's user.
 */
const IS_MOVING = `${departure.predecessorId} = ${event.relyingPartyId} AND EXISTS (SELECT 1 FROM ${successor.from}
      JOIN ${predecessor.from} ON ${predecessor.domain} = ${successor.predecessor} AND ${predecessor.closedAt} = 0
      WHERE ${successor.id} = ${departure.relyingPartyId} AND ${successor.closedAt} = 0
        AND ${predecessor.id} = ${departure.predecessorId})`;
const MOVED = `LEFT JOIN ${departure.from} ON ${departure.predecessorUserId} = ${event.userId} AND ${departure.movedAt} > 0
    AND (${departure.relyingPartyId} = ${event.relyingPartyId} OR (${IS_MOVING}))
  LEFT JOIN ${arrival.from} ON ${arrival.userId} = ${event.userId}`;
const USER_RP = `COALESCE(${departure.relyingPartyId}, ${event.relyingPartyId})`;
const USER = `COALESCE(${departure.userId}, ${event.userId})`;

/** The user was active in the month before a given time. */
const WAS_ACTIVE = (rp: string, userId: string) => `EXISTS (SELECT 1 FROM ${activeUser.from}
      WHERE ${activeUser.month} = :month AND ${activeUser.relyingPartyId} = ${rp} AND ${activeUser.userId} = ${userId}
        AND ${activeUser.since} < :since)`;

/** A user of a relying party. */
export type ActiveIdentity = Pick<EventEntity, 'tenantId' | 'relyingPartyId' | 'userId'>;

/** Events, oldest first, of users who had not been active there in that month before the time `since`. */
export const NEWLY_ACTIVE = select({
  ...event.pick('tenantId'),
  relyingPartyId: computed<Buffer>(USER_RP),
  userId: computed<Buffer>(USER),
  // The same user at predecessors.
  departedId: orNull(departure.predecessorId),
  departedUserId: orNull(departure.predecessorUserId),
  arrivedId: orNull(arrival.predecessorId),
  arrivedUserId: orNull(arrival.predecessorUserId),
  /** 1 if the user was active at a predecessor. */
  wasActive: computed<0 | 1>(`CASE
    WHEN ${WAS_ACTIVE(departure.predecessorId, departure.predecessorUserId)} THEN 1
    WHEN ${WAS_ACTIVE(arrival.predecessorId, arrival.predecessorUserId)} THEN 1 ELSE 0 END`),
}).from<EventRange & { month: number; since: number }>(
  `${event.from} ${MOVED}
  WHERE ${event.id} >= :from AND ${event.id} < :to AND ${event.kind} IN ('registration', 'authentication')
    AND NOT ${WAS_ACTIVE(USER_RP, USER)}
  ORDER BY ${event.id}`,
  PATIENT,
);

export type NewlyActiveRow = RowOf<typeof NEWLY_ACTIVE>;

/** Stores users who were active in a month, except those who are stored. */
export const ACTIVATE = forEachKind((kind) =>
  sql<{ month: number; since: number; rows: readonly ActiveIdentity[] }>(
    `INSERT ${kind === 'sqlite' ? 'OR IGNORE' : 'IGNORE'} INTO
    ${activeUsers.rows('month', 'since', 'tenantId', 'relyingPartyId', 'userId')}`,
  ),
);

/** Some rows of earlier months. */
export const ACTIVE_BEFORE = select(activeUsers.pick('month', 'relyingPartyId', 'userId')).from<{
  month: number;
  limit: number;
}>(`
  ${activeUsers.from} WHERE ${activeUsers.month} < :month LIMIT :limit`);

export const DELETE_ACTIVE = sql<Pick<ActiveUser, 'month' | 'relyingPartyId' | 'userId'>>(
  `DELETE FROM ${activeUsers.from} WHERE ${activeUsers.month} = :month
    AND ${activeUsers.relyingPartyId} = :relyingPartyId AND ${activeUsers.userId} = :userId`,
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

/** The statement looks up the tenant. */
export const INSERT_DAY = sql<
  UsageDay & Pick<UsageDayEntity, 'relyingPartyId' | 'month'>
>(`INSERT INTO ${usageDays.from}
    (${usageDays.list('relyingPartyId', 'day', 'month', ...FIGURES, 'tenantId')})
  VALUES (:relyingPartyId, :day, :month, ${namedParameters(FIGURES)},
    (SELECT ${relyingParties.tenantId} FROM ${relyingParties.from}
      WHERE ${relyingParties.id} = :relyingPartyId))`);

/** A slice of the ledger may change a day of each relying party: TypeORM needs 0.1 ms to build such a statement. */
export const UPDATE_DAY = sql<UsageDay & Pick<UsageDayEntity, 'relyingPartyId'>>(
  `UPDATE ${usageDays.from} SET ${FIGURES.map((figure) => `${usageDays[figure]} = :${figure}`).join(', ')}
  WHERE ${usageDays.relyingPartyId} = :relyingPartyId AND ${usageDays.day} = :day`,
);

const SIGN_INS = select(
  usageDays.pick('relyingPartyId', 'day', 'registrations', 'authentications'),
);

export const DAYS_SINCE = SIGN_INS.from<{ day: number }>(
  `${usageDays.from} WHERE ${usageDays.day} >= :day`,
);

export type DayRow = RowOf<typeof DAYS_SINCE>;

/** As the statement above, for one relying party. */
export const DAYS_OF = SIGN_INS.from<Scope & { day: number }>(
  `${usageDays.from} WHERE ${usageDays.scope} AND ${usageDays.day} >= :day`,
);

/** Sums over days, as numbers: MySQL and MariaDB would return them as text. */
const SUMS = {
  registrations: computed<number>(`CAST(SUM(${usageDays.registrations}) AS SIGNED)`),
  authentications: computed<number>(`CAST(SUM(${usageDays.authentications}) AS SIGNED)`),
};

/** The usage of each relying party in each month of a range of days. */
export const MONTHS = select({
  ...usageDays.pick('relyingPartyId', 'month'),
  ...SUMS,
  activeUsers: computed<number>(`MAX(${usageDays.activeUsers})`),
}).from<{ from: number; to: number }>(`
  ${usageDays.from} WHERE ${usageDays.day} >= :from AND ${usageDays.day} < :to
  GROUP BY ${usageDays.list('relyingPartyId', 'month')}`);

export interface UsagePeriod {
  /** Milliseconds since 1970; `end` is exclusive. */
  readonly begin: number;
  readonly end: number;
  /** Its last day. */
  readonly day: number;
}

const orZero = (column: string) => computed<number>(`COALESCE(${column}, 0)`);

const RELYING_PARTY = relyingParty.pick('id', 'tenantId', 'domain', 'closedAt');

/** The last row of a relying party; zeros if it has none. */
const LAST_COUNTS = {
  day: orZero(usageDay.day),
  users: orZero(usageDay.users),
  enabled: orZero(usageDay.enabled),
  disabled: orZero(usageDay.disabled),
  activeUsers: orZero(usageDay.activeUsers),
};

/**
 * Each relying party that existed in a period, its last row, and its sums. A single statement, so that `upto`
 * matches the sums.
 */
export const USAGE_OF_PERIOD = select({
  upto: computed<number>('p.upto'),
  // `null` if no relying party existed in the period.
  ...orNullAll(RELYING_PARTY),
  ...LAST_COUNTS,
  registrations: orZero('sums.registrations'),
  authentications: orZero('sums.authentications'),
}).from<UsagePeriod & { firstDay: number }>(`
  (SELECT COALESCE(MAX(${progress.upto}), 0) AS upto FROM ${progress.from}) p
  LEFT JOIN ${relyingParty.from} ON ${relyingParty.createdAt} < :end
    AND (${relyingParty.closedAt} = 0 OR ${relyingParty.closedAt} >= :begin)
  LEFT JOIN ${usageDay.from} ON ${usageDay.relyingPartyId} = ${relyingParty.id} AND ${usageDay.day} =
    (SELECT MAX(${usageDays.day}) FROM ${usageDays.from} WHERE ${usageDays.relyingPartyId} = ${relyingParty.id}
      AND ${usageDays.day} <= :day)
  LEFT JOIN (SELECT ${usageDays.relyingPartyId} AS rp, ${columnsText(SUMS)} FROM ${usageDays.from}
    WHERE ${usageDays.day} BETWEEN :firstDay AND :day
      GROUP BY ${usageDays.relyingPartyId}) sums ON sums.rp = ${relyingParty.id}
  ORDER BY ${relyingParty.domain}, ${relyingParty.createdAt}, ${relyingParty.id}`);
export type PeriodRow = RowOf<typeof USAGE_OF_PERIOD>;
export type RelyingPartyPeriodRow = PeriodRow & RowOf<typeof RELYING_PARTY>;

export const TENANTS_OF_PERIOD = select(tenants.pick('id', 'name', 'displayName', 'closedAt'))
  .from<UsagePeriod>(`
    ${tenants.from}
  WHERE ${tenants.createdAt} < :end AND (${tenants.closedAt} = 0 OR ${tenants.closedAt} >= :begin)
  ORDER BY ${tenants.list('name', 'createdAt', 'id')}`);

export const TENANT_EVER = select(tenants.pick('id')).from<{ name: string }>(
  `${tenants.from} WHERE ${tenants.name} = :name LIMIT 1`,
);
