import { Injectable } from '@nestjs/common';
import { idFrom, timeOf } from '../../database/columns.js';
import { isUniqueViolation } from '../../database/commit/unique-violation.js';
import type { Step } from '../../database/commit/unit.js';
import { Database } from '../../database/database.js';
import { BATCH_EVENTS, ID_BYTES } from './event-batch.entity.js';
import type { NumberingProgress } from './numbering-progress.entity.js';
import {
  BEGIN_NUMBERING,
  COUNT_EVENTS,
  COUNT_NUMBERED,
  DELETE_BATCHES,
  EVENTS_TO_NUMBER,
  INSERT_BATCH,
  MOVE_NUMBERING,
  NUMBERED_IDS,
  NUMBERED_UPTO,
  OLDEST_SLICE,
  SLICE_BEHIND,
} from './numbering.statements.js';

/** Milliseconds of the ids' time that one slice holds. */
export const SLICE_MS = 5_000;

export type Progress = Pick<NumberingProgress, 'last' | 'upto'>;

/** Two times in milliseconds since 1970, the later one excluded. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** An event that wants a number. */
export interface Found {
  readonly id: Buffer;
  readonly tenantId: Buffer;
  readonly relyingPartyId: Buffer;
}

/** Events come this late at most: other instances' clocks and slow commits together. */
export const GRACE_MS = 15 * 60_000;

export const sliceOf = (time: number): number => Math.floor(time / SLICE_MS);

/** For what nobody waits. */
const BACKGROUND = { background: true };
const PATIENT = { patienceMs: 10_000 };

/** What is numbered of the ledger, and what is not. */
@Injectable()
export class NumberingStore {
  constructor(private readonly database: Database) {}

  /** How far events are numbered; `undefined` when nobody has begun. */
  async progress(): Promise<Progress | undefined> {
    const [row] = await this.database.query<Progress>(NUMBERED_UPTO).all();
    return row;
  }

  /** @param upto where numbering begins: milliseconds since 1970 */
  async begin(upto: number): Promise<void> {
    try {
      await this.database.commit([{ sql: BEGIN_NUMBERING, params: [upto] }]);
    } catch (error) {
      // Another instance was faster.
      if (!isUniqueViolation(error)) throw error;
    }
  }

  /**
   * Events in the order of their ids, at most `limit`.
   *
   * @param behind an id: those that come after it
   * @param to milliseconds since 1970: those of earlier times
   */
  events(behind: Buffer, to: number, limit: number): Promise<Found[]> {
    return this.database.query<Found>(EVENTS_TO_NUMBER, PATIENT).all(behind, idFrom(to), limit);
  }

  /** How many events of a span have no number; it begins and ends with a slice, or where numbering stands. */
  async missing({ from, to }: Span): Promise<number> {
    const events = await this.count(COUNT_EVENTS, idFrom(from), idFrom(to));
    return events - (await this.count(COUNT_NUMBERED, sliceOf(from), sliceOf(to - 1) + 1));
  }

  /** The ids of one slice that have a number, as texts of bytes. */
  async numbered(slice: number): Promise<ReadonlySet<string>> {
    const rows = await this.database.query<{ ids: Buffer }>(NUMBERED_IDS).all(slice, slice + 1);
    return new Set(rows.flatMap(({ ids }) => idsIn(ids)).map((id) => id.toString('latin1')));
  }

  /**
   * Gives events the next numbers, if nobody has given any meanwhile.
   *
   * @param found in the order of their ids
   * @param upto where numbering stands then
   * @returns `false` when somebody has; nothing is stored then
   */
  append(progress: Progress, found: readonly Found[], upto: number): Promise<boolean> {
    const { last } = progress;
    const move = [last + found.length, upto, last, progress.upto];
    return this.database.commit(
      [{ sql: MOVE_NUMBERING, params: move, guard: true }, ...batchesOf(found, last)],
      BACKGROUND,
    );
  }

  /**
   * A time that none of the events behind a number comes before.
   *
   * @returns milliseconds since 1970; `undefined` where there are none
   */
  async timeBehind(number: number): Promise<number | undefined> {
    const [row] = await this.database.query<{ slice: number }>(SLICE_BEHIND).all(number);
    return row && row.slice * SLICE_MS - GRACE_MS;
  }

  /**
   * Forgets the numbers of some of the oldest events before a moment.
   *
   * @returns whether there are more
   */
  async discard(before: number, slices: number): Promise<boolean> {
    const [row] = await this.database.query<{ slice: number | null }>(OLDEST_SLICE).all();
    const end = sliceOf(before);
    if (row?.slice === undefined || row.slice === null || row.slice >= end) return false;
    const to = Math.min(row.slice + slices, end);
    await this.database.commit([{ sql: DELETE_BATCHES, params: [to] }], BACKGROUND);
    return to < end;
  }

  private async count(sql: string, ...range: readonly (Buffer | number)[]): Promise<number> {
    const [row] = await this.database.query<{ n: number }>(sql, PATIENT).all(...range);
    return Number(row?.n ?? 0);
  }
}

/** The ids that a batch holds. */
export const idsIn = (ids: Buffer): Buffer[] =>
  Array.from({ length: ids.length / ID_BYTES }, (_, n) =>
    ids.subarray(n * ID_BYTES, (n + 1) * ID_BYTES),
  );

/** A batch for each relying party of each slice; what one of them had stays in order. */
function batchesOf(found: readonly Found[], last: number): Step[] {
  const groups = new Map<string, Found[]>();
  for (const event of found) {
    const key = `${sliceOf(timeOf(event.id))} ${event.relyingPartyId.toString('latin1')}`;
    const group = groups.get(key);
    if (group) group.push(event);
    else groups.set(key, [event]);
  }
  let number = last;
  const batches = [...groups.values()].flatMap((group) => inParts(group));
  return batches.map((batch) => insertion(batch, (number += batch.length)));
}

const inParts = (group: readonly Found[]): (readonly Found[])[] =>
  Array.from({ length: Math.ceil(group.length / BATCH_EVENTS) }, (_, n) =>
    group.slice(n * BATCH_EVENTS, (n + 1) * BATCH_EVENTS),
  );

function insertion(batch: readonly Found[], last: number): Step {
  const [{ tenantId, relyingPartyId, id }] = batch as readonly [Found];
  const ids = Buffer.concat(batch.map((event) => event.id));
  const params = [last, tenantId, relyingPartyId, sliceOf(timeOf(id)), batch.length, ids];
  return { sql: INSERT_BATCH, params };
}
