import { Injectable } from '@nestjs/common';
import { splitIntoParts } from '../../platform/common/split-into-parts.js';
import { idFrom, mapKey, timeOfId } from '../../platform/database/row-ids.js';
import { falseIfTaken } from '../../platform/database/commit/unique-violation.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { Database } from '../../platform/database/database.js';
import { MINUTE_MS, HOUR_MS } from '../../platform/common/durations.js';
import { counter } from '../../platform/telemetry/metrics.js';
import { EVENTS_PER_ROW, ID_BYTES } from './event-numbers.entity.js';
import {
  BEGIN_NUMBERING,
  COUNT_EVENTS,
  COUNT_NUMBERED,
  DELETE_NUMBERS,
  EVENTS_TO_NUMBER,
  INSERT_NUMBERS,
  ADVANCE_NUMBERING,
  NUMBERED_IDS,
  NUMBERED_UPTO,
  OLDEST_SLICE,
  SLICE_AFTER,
  type NumberingPosition,
  type UnnumberedEvent,
} from './numbering.statements.js';

const assigned = counter({
  name: 'servicefido_events_numbered_total',
  help: 'Events that got their number, for readers and webhooks to follow',
});

/** Length of a slice in milliseconds, by the times in the IDs. */
export const SLICE_MS = 5_000;

/** Two times in milliseconds since 1970, the later one exclusive. */
export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

/** The maximum usual delay of an event, because of other instances' clocks and slow commits. */
export const NUMBERING_GRACE_MS = 15 * MINUTE_MS;
/** How far a clock may be off temporarily without a loss: its events are numbered within minutes. */
export const FAR_MS = 2 * HOUR_MS;

export const timeSliceOf = (time: number): number => Math.floor(time / SLICE_MS);

/** Options of commits that no request waits for. */
const BACKGROUND = { background: true };

/** Reads and stores which events of the ledger have numbers. */
@Injectable()
export class NumberingStore {
  constructor(private readonly database: Database) {}

  /** The progress of the numbering; `undefined` before it has begun. */
  async progress(): Promise<NumberingPosition | undefined> {
    const [row] = await this.database.query(NUMBERED_UPTO);
    return row;
  }

  /** @param upto where numbering begins: milliseconds since 1970 */
  async begin(upto: number): Promise<void> {
    await falseIfTaken(this.database.commit([BEGIN_NUMBERING.step({ upto })]));
  }

  /**
   * Reads at most `limit` events in the order of their IDs.
   *
   * @param after an ID; only events after it are found
   * @param to milliseconds since 1970; only earlier events are found
   */
  events(after: Buffer, to: number, limit: number): Promise<UnnumberedEvent[]> {
    return this.database.query(EVENTS_TO_NUMBER, { after, to: idFrom(to), limit });
  }

  /**
   * The number of events in a span without a number. The span begins and ends with a slice, or at the current
   * progress.
   */
  async missing({ from, to }: TimeSpan): Promise<number> {
    const [events] = await this.database.query(COUNT_EVENTS, {
      from: idFrom(from),
      to: idFrom(to),
    });
    const slices = { from: timeSliceOf(from), to: timeSliceOf(to - 1) + 1 };
    const [numbered] = await this.database.query(COUNT_NUMBERED, slices);
    return (events?.n ?? 0) - (numbered?.n ?? 0);
  }

  /** The IDs in one slice that have a number, as latin1 texts of their bytes. */
  async numbered(slice: number): Promise<ReadonlySet<string>> {
    const rows = await this.database.query(NUMBERED_IDS, { from: slice, to: slice + 1 });
    return new Set(rows.flatMap(({ ids }) => splitIds(ids)).map(mapKey));
  }

  /**
   * Assigns the next numbers to events, unless another instance has assigned any.
   *
   * @param found events in the order of their IDs
   * @param upto the progress to store, in milliseconds since 1970
   * @returns `false` if another instance was faster; nothing is stored then
   */
  async append(
    progress: NumberingPosition,
    found: readonly UnnumberedEvent[],
    upto: number,
  ): Promise<boolean> {
    const newLast = progress.last + found.length;
    const advance = ADVANCE_NUMBERING.mustChange({ ...progress, newLast, newUpto: upto });
    const steps = [advance, ...insertions(found, progress.last)];
    const isStored = await this.database.commit(steps, BACKGROUND);
    if (isStored) assigned.inc(found.length);
    return isStored;
  }

  /**
   * Returns a time before which none of the events after a number happened.
   *
   * @returns milliseconds since 1970; `undefined` if there are no events after the number
   */
  async timeAfter(number: number): Promise<number | undefined> {
    const [row] = await this.database.query(SLICE_AFTER, { number });
    return row && row.slice * SLICE_MS - FAR_MS;
  }

  /** @returns whether there are more */
  async discard(before: number, slices: number): Promise<boolean> {
    const [row] = await this.database.query(OLDEST_SLICE);
    const end = timeSliceOf(before);
    if (row?.slice === undefined || row.slice === null || row.slice >= end) return false;
    const to = Math.min(row.slice + slices, end);
    await this.database.store([DELETE_NUMBERS.step({ slice: to })], BACKGROUND);
    return to < end;
  }
}

/** Splits the IDs of a row. */
export const splitIds = (ids: Buffer): Buffer[] =>
  Array.from({ length: ids.length / ID_BYTES }, (_, n) =>
    ids.subarray(n * ID_BYTES, (n + 1) * ID_BYTES),
  );

/** Creates rows, each of one relying party and slice; the events of one relying party stay in order. */
function insertions(found: readonly UnnumberedEvent[], last: number): Step[] {
  const groups = Map.groupBy(
    found,
    ({ id, relyingPartyId }) => `${timeSliceOf(timeOfId(id))} ${mapKey(relyingPartyId)}`,
  );
  let number = last;
  const rows = [...groups.values()].flatMap((group) => splitIntoParts(group, EVENTS_PER_ROW));
  return rows.map((events) => insertion(events, (number += events.length)));
}

function insertion(events: readonly UnnumberedEvent[], last: number): Step {
  const [{ tenantId, relyingPartyId, id }] = events as readonly [UnnumberedEvent];
  const ids = Buffer.concat(events.map((event) => event.id));
  const owner = { tenantId, relyingPartyId };
  const slice = timeSliceOf(timeOfId(id));
  return INSERT_NUMBERS.step({ last, ...owner, slice, size: events.length, ids });
}
