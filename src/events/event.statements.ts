import {
  computed,
  COUNT,
  forEachKind,
  namedParameters,
  tableOf,
} from '../platform/database/entities/table.js';
import type { Scope } from '../platform/database/scope.js';
import {
  select,
  sql,
  type NoParams,
  type Param,
  type Parameters,
  type RowOf,
} from '../platform/database/statement.js';
import { EventEntity } from './event.entity.js';
import { Receipt } from './receipts/receipt.entity.js';

const events = tableOf(EventEntity);
const receipts = tableOf(Receipt);

export type EventRowToAppend = Readonly<Record<keyof EventEntity, Param>>;

export const APPEND_EVENTS = sql<{ rows: readonly EventRowToAppend[] }>(
  `INSERT INTO ${events.rows(...events.names)}`,
);

/**
 * Appends an event for each row of the source, which must be at most one. In a unit of independent changes,
 * it precedes its change and selects the state that the change will end.
 *
 * @param source the part after FROM: `credentials WHERE … AND enabled = 1`
 */
export const appendEventFrom = <Params extends Parameters<Params>>(source: string) =>
  sql<EventRowToAppend & Params>(`INSERT INTO ${events.from} (${events.list(...events.names)})
    SELECT ${namedParameters(events.names)} FROM ${source}`);

/** A range of events, given as IDs; the end is exclusive. */
export interface EventRange {
  readonly from: Buffer;
  readonly to: Buffer;
}

/** The event after n others in a range. */
export const NTH_EVENT = select(events.pick('id')).from<EventRange & { n: number }>(`
  ${events.from} WHERE ${events.id} >= :from AND ${events.id} < :to
  ORDER BY ${events.id} LIMIT 1 OFFSET :n`);

export const DELETE_EVENTS = sql<{ to: Buffer }>(
  `DELETE FROM ${events.from} WHERE ${events.id} < :to`,
);

export const KEEP_RECEIPT = sql<Omit<Receipt, 'username'> & { readonly username: Buffer }>(
  `INSERT INTO ${receipts.row(...receipts.names)}`,
);

/** Deletes receipts before an ID, together with the events of their sign-ins. */
export const DELETE_RECEIPTS = sql<{ to: Buffer }>(
  `DELETE FROM ${receipts.from} WHERE ${receipts.id} < :to`,
);

/** Counts the events in a range of IDs by relying party, kind, code and, of a refusal by a policy rule, detail. */
export const COUNT_BY_KIND = select({
  ...events.pick('relyingPartyId', 'kind', 'code'),
  rule: computed<string | null>(
    `CASE WHEN ${events.detail} LIKE :ofRule THEN ${events.detail} END`,
  ),
  ...COUNT,
}).from<EventRange & { ofRule: string }>(
  `${events.from} WHERE ${events.id} >= :from AND ${events.id} < :to
  GROUP BY ${events.list('relyingPartyId', 'kind', 'code')}, rule`,
  { patienceMs: 10_000 },
);

const EVENTS = select(events.pick(...events.except('tenantId', 'userId', 'ceremony')));

type EventPlace = Pick<EventEntity, 'at' | 'id'>;

/** Events before a position, and not before `from`. */
interface Older extends EventPlace {
  readonly from: number;
  readonly limit: number;
}

const NEWEST_FIRST = `ORDER BY ${events.at} DESC, ${events.id} DESC LIMIT :limit`;
const OLDER = `${events.at} >= :from AND ${events.at} <= :at AND (${events.at} < :at OR ${events.id} < :id)
  ${NEWEST_FIRST}`;

/**
 * Reads older events along an index that ends with the time. Without the hint, MariaDB would scan the index
 * from the newest event on, no matter how old the events of the page are.
 */
const eventsAlong = <Params extends Parameters<Params> = NoParams>(
  index: string,
  condition: string,
) =>
  forEachKind((kind) =>
    EVENTS.from<Scope & Older & Params>(
      `${events.forceIndex(kind, index)} WHERE ${events.scope} AND ${condition} AND ${OLDER}`,
    ),
  );

const BY_TIME = 'ix_events_relying_party';

export const EVENTS_BY_TIME = eventsAlong(BY_TIME, 'TRUE');

/** Refusals between two positions: from `from` and `fromId` on. */
export const EVENTS_BY_REFUSAL = eventsAlong<{ fromId: Buffer }>(
  BY_TIME,
  `${events.kind} IN ('registration-refused', 'authentication-refused')
    AND (${events.at} > :from OR ${events.id} >= :fromId)`,
);

/** The position of the event that follows `skip` others. It names the relying party alone, as the index does. */
export const EVENT_PLACE = forEachKind((kind) =>
  select(events.pick('at', 'id')).from<Older & { relyingPartyId: Buffer; skip: number }>(`
    ${events.forceIndex(kind, BY_TIME)} WHERE ${events.relyingPartyId} = :relyingPartyId AND ${OLDER} OFFSET :skip`),
);

export const EVENTS_BY_USER = eventsAlong<{ username: Buffer }>(
  'ix_events_user',
  `${events.username} = :username`,
);

/** Excludes the events of other users under the same name. */
export const EVENTS_OF_IDS = eventsAlong<{ username: Buffer; userIds: readonly Buffer[] }>(
  'ix_events_user',
  `${events.username} = :username AND ${events.userId} IN (:...userIds)`,
);

/** Whether one of these users had the credential under this name. */
export const EVENT_OF_KEY = select(events.pick('id')).from<
  Scope & { username: Buffer; userIds: readonly Buffer[]; credential: Buffer }
>(`
  ${events.from} WHERE ${events.scope} AND ${events.username} = :username
    AND ${events.userId} IN (:...userIds) AND ${events.credential} = :credential LIMIT 1`);

/** Finds events at any relying party; the caller excludes those that may not be seen. */
export const EVENTS_BY_REQUEST = EVENTS.from<{ requestId: string; limit: number }>(
  `${events.from} WHERE ${events.requestId} = :requestId ${NEWEST_FIRST}`,
);

/**
 * Clone alarms in a range of IDs, newest first, of several relying parties, which the caller may see. IDs
 * begin with a time, so an hour is a range of the primary key.
 */
export const CLONE_ALARMS = EVENTS.from<
  EventRange & { relyingPartyIds: readonly Buffer[]; limit: number }
>(
  `${events.from} WHERE ${events.id} >= :from AND ${events.id} < :to AND ${events.kind} = 'clone-alarm'
    AND ${events.relyingPartyId} IN (:...relyingPartyIds)
  ORDER BY ${events.id} DESC LIMIT :limit`,
  { patienceMs: 10_000 },
);

export const EVENT_OF_CEREMONY = select(events.pick('id')).from<Scope & { ceremony: Buffer }>(
  `${events.from} WHERE ${events.scope} AND ${events.ceremony} = :ceremony`,
);

/** The IDs come from `EventNumbers` that were read for relying parties that the caller may see. */
export const EVENTS_BY_IDS = EVENTS.from<{ ids: readonly Buffer[] }>(
  `${events.from} WHERE ${events.id} IN (:...ids)`,
);
export type EventRow = RowOf<typeof EVENTS_BY_IDS>;
