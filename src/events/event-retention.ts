import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/common/clock.js';
import { AgreedSettings } from '../platform/database/agreed-settings.js';
import { idFrom } from '../platform/database/columns.js';
import { Database } from '../platform/database/database.js';
import { isClockWrong } from '../platform/database/server-facts.js';
import { DAY_MS } from '../platform/common/durations.js';
import { DELETE_EVENTS, NTH_EVENT } from './event.statements.js';
import { DELETE_RECEIPTS } from './receipts/receipt.statements.js';
import { NumberingStore } from './numbering/numbering-store.js';

/** The maximum time that old events are kept for a receiver that has not received them. */
const LONGEST_WAIT_DAYS = 7;

/** @returns the number up to which a receiver has received its events; `undefined` if none is waiting */
type ProgressReader = () => Promise<number | undefined>;

/**
 * How long the ledger is kept: `--event-retention`, and longer for receivers that have not received their events
 * yet. The job that counts the events for invoices deletes them when they are counted.
 */
@Injectable()
export class EventRetention {
  private readonly waiting: ProgressReader[] = [];

  constructor(
    private readonly database: Database,
    private readonly numbering: NumberingStore,
    private readonly clock: Clock,
    private readonly settings: AgreedSettings,
  ) {}

  /** Keeps events until a receiver has received them, but at most a week. */
  waitFor(reader: ProgressReader): void {
    this.waiting.push(reader);
  }

  /** The number of days that events are kept: the longest `--event-retention` of all servers. */
  days(): Promise<number> {
    return this.settings.longest('eventRetention');
  }

  /**
   * @returns the time, in milliseconds since 1970, before which events may be deleted; the beginning of a day. 0 if
   *   this clock is wrong: one that is ahead would delete events too early
   */
  async before(): Promise<number> {
    if (await isClockWrong(this.database)) return 0;
    const today = Math.floor(this.clock.now() / DAY_MS);
    const usual = (today - (await this.days())) * DAY_MS;
    const furthest = (today - LONGEST_WAIT_DAYS) * DAY_MS;
    if (usual <= furthest) return usual;
    return Math.max(furthest, Math.min(usual, ...(await this.awaited())));
  }

  /**
   * Deletes the oldest events and the receipts of their ceremonies.
   *
   * @param before the time, in milliseconds since 1970, from which on events stay
   * @param atMost how many events to delete
   * @returns whether there are more
   */
  async deleteEvents(before: number, atMost: number): Promise<boolean> {
    const nth = async (n: number) => {
      const range = { from: idFrom(0), to: idFrom(before) };
      const [row] = await this.database.query(NTH_EVENT, { ...range, n });
      return row?.id;
    };
    if (!(await nth(0))) return false;
    const next = await nth(atMost);
    const to = next ?? idFrom(before);
    await this.database.commit([DELETE_EVENTS.step({ to }), DELETE_RECEIPTS.step({ to })]);
    return next !== undefined;
  }

  /** Times before which there are no events that a receiver is waiting for. */
  private async awaited(): Promise<number[]> {
    const numbers = await Promise.all(this.waiting.map((read) => read()));
    const waiting = numbers.filter((number) => number !== undefined);
    const times = await Promise.all(waiting.map((number) => this.numbering.timeBehind(number)));
    return times.filter((time) => time !== undefined);
  }
}
