import { tableOf } from '../../platform/database/entities/table.js';
import { Move } from '../../users/moves/move.entity.js';
import { EventEntity } from '../../events/event.entity.js';
import { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';
import { Tenant } from '../../tenancy/tenant.entity.js';
import { ActiveUser } from './active-user.entity.js';
import { UsageDayEntity } from './usage-day.entity.js';
import { UsageProgress } from './usage-progress.entity.js';

/*
 * Statements that count the ledger of all relying parties: each goes through a range of events or days at
 * once. Comments name the parameters in their order. Ranges of events are given as ids; the end is not part
 * of them.
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
const t = tableOf(Tenant, 't');
const tenant = tableOf(Tenant);

/** How far events are counted. */
export const UPTO = `SELECT ${progress.upto} FROM ${progress.from} WHERE ${progress.id} = 1`;

/** Begins the counting; throws when there is a row already. */
export const BEGIN_COUNTING = `INSERT INTO ${progress.from}
  (${progress.list('id', 'upto')}) VALUES (1, 0)`;

/** to, from: moves by compare-and-set. */
export const COUNTED_UPTO = `UPDATE ${progress.from} SET ${progress.upto} = ?
  WHERE ${progress.id} = 1 AND ${progress.upto} = ?`;

/** from, n: the event behind n others. */
export const NTH_EVENT = `SELECT ${event.id} FROM ${event.from} WHERE ${event.id} >= ?
  ORDER BY ${event.id} LIMIT 1 OFFSET ?`;

/** to: the last event before then. */
export const LAST_EVENT = `SELECT ${event.id} FROM ${event.from} WHERE ${event.id} < ?
  ORDER BY ${event.id} DESC LIMIT 1`;

/** to, n: the event behind the n oldest ones, of those before then. */
export const NTH_OLD_EVENT = `SELECT ${event.id} FROM ${event.from} WHERE ${event.id} < ?
  ORDER BY ${event.id} LIMIT 1 OFFSET ?`;

/** to: deletes all events before then. */
export const DELETE_EVENTS = `DELETE FROM ${event.from} WHERE ${event.id} < ?`;

/** The credential's state for imports and deletions; NULL for other kinds. */
const STATE = `CASE WHEN ${event.kind} IN ('deleted', 'imported') THEN ${event.detail} END`;

/** from, to: how many events of each kind a range has, by relying party. */
export const TALLIES = `SELECT ${event.select('relyingPartyId', 'kind')}, ${STATE} AS detail,
    COUNT(*) AS n
  FROM ${event.from} WHERE ${event.id} >= ? AND ${event.id} < ?
  GROUP BY ${event.list('relyingPartyId', 'kind')}, ${STATE}`;

/*
 * A user who moved from an old domain to a new one is one person, of the new one. For an event of the user at
 * the old domain, `o` is the move; for one at the new domain, `m` is.
 */
const PERSON = `COALESCE(${o.userId}, ${e.userId})`;
const PERSON_AT = `COALESCE(${o.relyingPartyId}, ${e.relyingPartyId})`;
const FORMERLY = `COALESCE(${m.formerUserId}, ${o.formerUserId})`;
const FORMERLY_AT = `COALESCE(${m.formerRelyingPartyId}, ${o.formerRelyingPartyId})`;
const MOVED = `LEFT JOIN ${o.from} ON ${o.formerUserId} = ${e.userId} AND ${o.movedAt} > 0
  LEFT JOIN ${m.from} ON ${m.userId} = ${e.userId}`;

/** month, since: the user was not active in the month before a moment. */
const NOT_ACTIVE = (who: string) => `NOT EXISTS (SELECT 1 FROM ${a.from}
      WHERE ${a.month} = ? AND ${who} AND ${a.since} < ?)`;

/**
 * from, to, month, since, month, since: events of people who had not been active in that month before the
 * time `since`.
 */
const OF_NEWLY_ACTIVE = `FROM ${e.from} ${MOVED}
  WHERE ${e.id} >= ? AND ${e.id} < ? AND ${e.kind} IN ('registration', 'authentication')
    AND ${NOT_ACTIVE(`${a.relyingPartyId} = ${PERSON_AT} AND ${a.userId} = ${PERSON}`)}
    AND ${NOT_ACTIVE(`${a.relyingPartyId} = ${FORMERLY_AT} AND ${a.userId} = ${FORMERLY}`)}`;

export const COUNT_NEWLY_ACTIVE = `SELECT ${PERSON_AT} AS relyingPartyId,
    COUNT(DISTINCT ${PERSON}) AS n
  ${OF_NEWLY_ACTIVE} GROUP BY ${PERSON_AT}`;

/** month, since, from, to, month, since, month, since: remembers those whom `COUNT_NEWLY_ACTIVE` counts. */
export const ACTIVATE = `INSERT INTO ${active.from}
    (${active.list('month', 'since', 'tenantId', 'relyingPartyId', 'userId')})
  SELECT DISTINCT ?, ?, ${e.tenantId}, ${PERSON_AT}, ${PERSON} ${OF_NEWLY_ACTIVE}`;

/** month, limit: some rows of the months before. */
export const ACTIVE_BEFORE = `SELECT ${active.select('month', 'relyingPartyId', 'userId')}
  FROM ${active.from} WHERE ${active.month} < ? LIMIT ?`;

/** month, id of rp, user id. */
export const DELETE_ACTIVE = `DELETE FROM ${active.from}
  WHERE ${active.month} = ? AND ${active.relyingPartyId} = ? AND ${active.userId} = ?`;

/** A day's figures, in the order of their values. */
export const FIGURES = [
  'registrations',
  'authentications',
  'users',
  'enabled',
  'disabled',
  'activeUsers',
  'events',
] as const satisfies readonly (keyof UsageDayEntity)[];

/** id of rp: its last row. */
export const LAST_DAY = `SELECT ${day.select('day', ...FIGURES)} FROM ${day.from}
  WHERE ${day.relyingPartyId} = ? ORDER BY ${day.day} DESC LIMIT 1`;

/** id of rp, day, month, the figures, id of rp: its tenant is looked up. */
export const INSERT_DAY = `INSERT INTO ${day.from}
    (${day.list('relyingPartyId', 'day', 'month', ...FIGURES, 'tenantId')})
  VALUES (?, ?, ?, ${FIGURES.map(() => '?').join(', ')},
    (SELECT ${relyingParty.tenantId} FROM ${relyingParty.from} WHERE ${relyingParty.id} = ?))`;

/** The figures, id of rp, day. */
export const UPDATE_DAY = `UPDATE ${day.from}
  SET ${FIGURES.map((figure) => `${day[figure]} = ?`).join(', ')}
  WHERE ${day.relyingPartyId} = ? AND ${day.day} = ?`;

/** All relying parties, closed ones too. */
export const RELYING_PARTIES = `SELECT ${relyingParty.select('id', 'tenantId')}
  FROM ${relyingParty.from}`;

/** id of rp: days that an instance of the version before counted, without a tenant. */
const WITHOUT_TENANT = `${day.relyingPartyId} = ? AND ${day.tenantId} IS NULL`;
export const DAY_WITHOUT_TENANT = `SELECT ${day.day} FROM ${day.from} WHERE ${WITHOUT_TENANT} LIMIT 1`;
export const FILL_IN_TENANT = `UPDATE ${day.from} SET ${day.tenantId} = ? WHERE ${WITHOUT_TENANT}`;

/** day: what relying parties used on each day since then. */
export const DAYS_SINCE = `SELECT ${day.select('relyingPartyId', 'day', 'registrations', 'authentications')}
  FROM ${day.from} WHERE ${day.day} >= ?`;

/** rp, day: the same for one relying party. */
export const DAYS_OF = `SELECT ${day.select('relyingPartyId', 'day', 'registrations', 'authentications')}
  FROM ${day.from} WHERE ${day.positionalScope} AND ${day.day} >= ?`;

/** Sums over days, as numbers: MySQL and MariaDB would return them as text. */
const SUMS = (['registrations', 'authentications'] as const)
  .map((figure) => `CAST(SUM(${day[figure]}) AS SIGNED) AS ${figure}`)
  .join(', ');

/** from, to: what each relying party used in each month. */
export const MONTHS = `SELECT ${day.select('relyingPartyId', 'month')}, ${SUMS},
    MAX(${day.activeUsers}) AS activeUsers
  FROM ${day.from} WHERE ${day.day} >= ? AND ${day.day} < ?
  GROUP BY ${day.list('relyingPartyId', 'month')}`;

/**
 * end, begin, day, first day, day: each relying party that lived in a period, its last row, and its sums. It
 * is one statement, so that `upto` fits the sums.
 */
export const COUNTED = `SELECT p.upto, ${r.select('id', 'tenantId', 'domain', 'closedAt')},
    ${d.select('day', 'users', 'enabled', 'disabled', 'activeUsers')},
    sums.registrations, sums.authentications
  FROM (SELECT COALESCE(MAX(${progress.upto}), 0) AS upto FROM ${progress.from}) p
  LEFT JOIN ${r.from} ON ${r.createdAt} < ? AND (${r.closedAt} = 0 OR ${r.closedAt} >= ?)
  LEFT JOIN ${d.from} ON ${d.relyingPartyId} = ${r.id} AND ${d.day} =
    (SELECT MAX(${day.day}) FROM ${day.from} WHERE ${day.relyingPartyId} = ${r.id} AND ${day.day} <= ?)
  LEFT JOIN (SELECT ${day.relyingPartyId} AS rp, ${SUMS} FROM ${day.from}
    WHERE ${day.day} BETWEEN ? AND ? GROUP BY ${day.relyingPartyId}) sums ON sums.rp = ${r.id}
  ORDER BY ${r.domain}, ${r.createdAt}, ${r.id}`;

/** end, begin: tenants that lived in a period. */
export const TENANTS_OF_PERIOD = `SELECT ${tenant.select('id', 'name', 'displayName', 'closedAt')}
  FROM ${tenant.from}
  WHERE ${tenant.createdAt} < ? AND (${tenant.closedAt} = 0 OR ${tenant.closedAt} >= ?)
  ORDER BY ${tenant.list('name', 'createdAt', 'id')}`;

/** name: whether there was ever a tenant of this name. */
export const TENANT_EVER = `SELECT ${tenant.id} FROM ${tenant.from} WHERE ${tenant.name} = ? LIMIT 1`;

/** from, name: relying parties of an open tenant, and their events that are not counted for good. */
export const SIZE_OF_TENANT = `SELECT COUNT(*) AS relyingParties,
    COALESCE(SUM(party.events), 0) AS events
  FROM (SELECT (SELECT COUNT(*) FROM ${e.from}
      WHERE ${e.relyingPartyId} = ${r.id} AND ${e.at} >= ?) AS events
    FROM ${r.from} JOIN ${t.from} ON ${t.id} = ${r.tenantId}
    WHERE ${t.name} = ? AND ${t.closedAt} = 0) party`;

/** from, to, most: how many events a range has, counted up to `most`. */
export const COUNT_SOME_EVENTS = `SELECT COUNT(*) AS n
  FROM (SELECT 1 AS one FROM ${event.from} WHERE ${event.id} >= ? AND ${event.id} < ? LIMIT ?) few`;

export const FIRST_EVENT = `SELECT ${event.id} FROM ${event.from} ORDER BY ${event.id} LIMIT 1`;
