import { tableOf } from '../database/entities/table.js';
import { marksOf } from '../database/padded.js';
import { EventEntity } from './event.entity.js';

const event = tableOf(EventEntity);

/** What is told of an event, in the order of its values. */
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
] as const satisfies readonly (keyof EventEntity)[];

const APPEND = `INSERT INTO ${event.from} (${event.list(...TOLD)})`;
const ROW = TOLD.map(() => '?').join(', ');

/** The values of each event. */
export const appendEvents = (events: readonly unknown[]) =>
  `${APPEND} VALUES ${events.map(() => `(${ROW})`).join(', ')}`;

/** The values of an event and the parameters of what stands behind FROM: as often as it has rows. */
export const appendEventFrom = (source: string) => `${APPEND} SELECT ${ROW} FROM ${source}`;

/** From, to, both as ids: how many events of each kind each relying party had. */
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
/** from, at, at, id, limit: what is older than a place, and not older than `from`. */
const OLDER = `${event.at} >= ? AND ${event.at} <= ? AND (${event.at} < ? OR ${event.id} < ?)
  ${NEWEST_FIRST}`;
const OF_RELYING_PARTY = `SELECT ${RECORDED} FROM ${event.from} WHERE ${event.scope}`;

/** rp and a span, as all three: always a range of an index. */
export const EVENTS_BY_TIME = `${OF_RELYING_PARTY} AND ${OLDER}`;

export const EVENTS_BY_REFUSAL = `${OF_RELYING_PARTY}
  AND ${event.kind} IN ('registration-refused', 'authentication-refused') AND ${OLDER}`;

/** rp, username and a span. */
export const EVENTS_BY_USER = `${OF_RELYING_PARTY} AND ${event.username} = ? AND ${OLDER}`;

/** request id, limit: at any relying party; the caller leaves out what may not be seen. */
export const EVENTS_BY_REQUEST = `SELECT ${RECORDED} FROM ${event.from}
  WHERE ${event.requestId} = ? ${NEWEST_FIRST}`;

/** Their ids: those that batches of numbers name, which are of whoever may see them. */
export const eventsByIds = (ids: readonly unknown[]) => `SELECT ${RECORDED} FROM ${event.from}
  WHERE ${event.id} IN (${marksOf(ids)})`;
