import { tableOf } from '../platform/database/entities/table.js';
import { marksOf } from '../platform/database/padded.js';
import { EventEntity } from './event.entity.js';

const event = tableOf(EventEntity);

/** Columns of an event, in the order of the values that statements take. */
const TOLD = [
  'id',
  'at',
  'tenantId',
  'relyingPartyId',
  'userId',
  'username',
  'credential',
  'kind',
  'code',
  'detail',
  'requestId',
  'address',
  'browser',
  'ceremony',
] as const satisfies readonly (keyof EventEntity)[];

const APPEND = `INSERT INTO ${event.from} (${event.list(...TOLD)})`;
const ROW = TOLD.map(() => '?').join(', ');

/** Parameters: the values of each event. */
export const appendEvents = (events: readonly unknown[]) =>
  `${APPEND} VALUES ${events.map(() => `(${ROW})`).join(', ')}`;

/**
 * Parameters: the values of an event and those of `source`, which follows FROM. Appends the event once for
 * each row of the source.
 */
export const appendEventFrom = (source: string) => `${APPEND} SELECT ${ROW} FROM ${source}`;

/** Parameters: from, to, both as IDs. Counts the events of each relying party by kind and code. */
export const COUNT_BY_KIND = `SELECT ${event.select('relyingPartyId', 'kind', 'code')}, COUNT(*) AS n
  FROM ${event.from} WHERE ${event.id} >= ? AND ${event.id} < ?
  GROUP BY ${event.list('relyingPartyId', 'kind', 'code')}`;

const RECORDED = event.select(
  'id',
  'at',
  'relyingPartyId',
  'username',
  'credential',
  'kind',
  'code',
  'detail',
  'requestId',
  'address',
  'browser',
);
const NEWEST_FIRST = `ORDER BY ${event.at} DESC, ${event.id} DESC LIMIT ?`;
/**
 * Parameters: from, at, at, id, limit. Selects events that are older than a place and not older than `from`.
 */
const OLDER = `${event.at} >= ? AND ${event.at} <= ? AND (${event.at} < ? OR ${event.id} < ?)
  ${NEWEST_FIRST}`;
const OF_RELYING_PARTY = `SELECT ${RECORDED} FROM ${event.from} WHERE ${event.positionalScope}`;

/** Parameters: rp, then those of `OLDER`; the same for `EVENTS_BY_REFUSAL`. */
export const EVENTS_BY_TIME = `${OF_RELYING_PARTY} AND ${OLDER}`;

export const EVENTS_BY_REFUSAL = `${OF_RELYING_PARTY}
  AND ${event.kind} IN ('registration-refused', 'authentication-refused') AND ${OLDER}`;

/** Parameters: rp, username, then those of `OLDER`. */
export const EVENTS_BY_USER = `${OF_RELYING_PARTY} AND ${event.username} = ? AND ${OLDER}`;

/**
 * Parameters: request ID, limit. Finds events at any relying party; the caller leaves out those that may not
 * be seen.
 */
export const EVENTS_BY_REQUEST = `SELECT ${RECORDED} FROM ${event.from}
  WHERE ${event.requestId} = ? ${NEWEST_FIRST}`;

/** Parameters: rp, ceremony. */
export const EVENT_OF_CEREMONY = `SELECT ${event.select('id')} FROM ${event.from}
  WHERE ${event.positionalScope} AND ${event.ceremony} = ?`;

/**
 * Parameters: the IDs of events. They come from batches, which were read for relying parties that the caller
 * may see.
 */
export const eventsByIds = (ids: readonly unknown[]) => `SELECT ${RECORDED} FROM ${event.from}
  WHERE ${event.id} IN (${marksOf(ids)})`;
