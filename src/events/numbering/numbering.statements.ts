import type { Scope } from '../../platform/database/scope.js';
import { select, sql, type RowOf } from '../../platform/database/statement.js';
import { computed, COUNT, tableOf } from '../../platform/database/entities/table.js';
import { EventEntity } from '../event.entity.js';
import { EventNumbers, NumberingProgress } from './event-numbers.entity.js';

/**
 * These statements have no scope, since the job numbers the events of all relying parties. Ranges of events
 * are given as IDs, ranges of slices as numbers; the end of a range is exclusive.
 */

const events = tableOf(EventEntity);
const numbers = tableOf(EventNumbers);
const progress = tableOf(NumberingProgress);

const PATIENT = { patienceMs: 10_000 };

export const NUMBERED_UPTO = select(progress.pick('last', 'upto')).from(
  `${progress.from} WHERE ${progress.id} = 1`,
);

export type NumberingPosition = RowOf<typeof NUMBERED_UPTO>;

/** Throws if the row exists. */
export const BEGIN_NUMBERING = sql<{ upto: number }>(`INSERT INTO ${progress.from}
  (${progress.list('id', 'last', 'upto')}) VALUES (1, 0, :upto)`);

/** Changes nothing if another instance has advanced it. */
export const ADVANCE_NUMBERING = sql<NumberingPosition & { newLast: number; newUpto: number }>(
  `UPDATE ${progress.from} SET ${progress.last} = :newLast, ${progress.upto} = :newUpto
  WHERE ${progress.id} = 1 AND ${progress.last} = :last AND ${progress.upto} = :upto`,
);

export const INSERT_NUMBERS = sql<EventNumbers>(
  `INSERT INTO ${numbers.row('last', 'tenantId', 'relyingPartyId', 'slice', 'size', 'ids')}`,
);

/** Finds events after an ID, which may be one from `idFrom`, which is never that of an event. */
export const EVENTS_TO_NUMBER = select(events.pick('id', 'tenantId', 'relyingPartyId')).from<{
  after: Buffer;
  to: Buffer;
  limit: number;
}>(
  `${events.from}
  WHERE ${events.id} > :after AND ${events.id} < :to ORDER BY ${events.id} LIMIT :limit`,
  PATIENT,
);

/** An event without a number. */
export type UnnumberedEvent = RowOf<typeof EVENTS_TO_NUMBER>;

export const COUNT_EVENTS = select(COUNT).from<{ from: Buffer; to: Buffer }>(
  `${events.from} WHERE ${events.id} >= :from AND ${events.id} < :to`,
  PATIENT,
);

/** A range of slices. */
interface Slices {
  readonly from: number;
  readonly to: number;
}
const IN_SLICES = `${numbers.slice} >= :from AND ${numbers.slice} < :to`;

/** The cast is for MySQL and MariaDB, whose SUM the driver returns as text. */
export const COUNT_NUMBERED = select({
  n: computed<number>(`CAST(COALESCE(SUM(${numbers.size}), 0) AS SIGNED)`),
}).from<Slices>(`${numbers.from} WHERE ${IN_SLICES}`, PATIENT);

export const NUMBERED_IDS = select(numbers.pick('ids')).from<Slices>(
  `${numbers.from} WHERE ${IN_SLICES}`,
);

export const OLDEST_SLICE = select({
  slice: computed<number | null>(`MIN(${numbers.slice})`),
}).from(numbers.from);

/** The slice of the row with the next event after a number. */
export const SLICE_AFTER = select(numbers.pick('slice')).from<{ number: number }>(`
  ${numbers.from} WHERE ${numbers.last} > :number
  ORDER BY ${numbers.last} LIMIT 1`);

/** Deletes the numbers of earlier slices. */
export const DELETE_NUMBERS = sql<{ slice: number }>(
  `DELETE FROM ${numbers.from} WHERE ${numbers.slice} < :slice`,
);

interface Next {
  readonly after: number;
  readonly limit: number;
}
const NUMBERS = select(numbers.pick('last', 'relyingPartyId', 'ids'));
const IN_ORDER = `${numbers.last} > :after ORDER BY ${numbers.last} LIMIT :limit`;

export const NUMBERS_OF_RELYING_PARTY = NUMBERS.from<Scope & Next>(
  `${numbers.from} WHERE ${numbers.scope} AND ${IN_ORDER}`,
);

/** The caller excludes relying parties that may not be seen. */
export const NUMBERS_OF_TENANT = NUMBERS.from<{ tenantId: Buffer } & Next>(
  `${numbers.from} WHERE ${numbers.tenantId} = :tenantId AND ${IN_ORDER}`,
);

/** The caller excludes relying parties that may not be seen. */
export const NUMBERS_OF_ALL = NUMBERS.from<Next>(`
  ${numbers.from} WHERE ${IN_ORDER}`);
export type NumbersRow = RowOf<typeof NUMBERS_OF_ALL>;
