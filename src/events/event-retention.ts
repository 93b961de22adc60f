import { Injectable } from '@nestjs/common';
import { Clock } from '../platform/common/clock.js';
import { AgreedSettings } from '../platform/database/agreed-settings.js';
import { idFrom } from '../platform/database/row-ids.js';
import { Database } from '../platform/database/database.js';
import { isClockWrong } from '../platform/database/server-facts.js';
import { DAY_MS } from '../platform/common/durations.js';
import { DELETE_EVENTS, DELETE_RECEIPTS, NTH_EVENT } from './event.statements.js';
import { weekOf } from './ceremony-counts/ceremony-count.entity.js';
import { DELETE_COUNTS } from './ceremony-counts/ceremony-count.statements.js';
import { NumberingStore } from './numbering/numbering-store.js';

/** The maximum time that old events are kept for a follower that has not received them. */
const LONGEST_WAIT_DAYS = 7;

/** Finds the number of the event after which a follower waits for events; `undefined` if it waits for none. */
type PositionFinder = () => Promise<number | undefined>;

/**
 * How long the ledger is kept: `--event-retention`, and longer for followers that have not received their events
 * yet. The job that counts the events for invoices deletes them when they are counted, and old ceremony counts.
 */
@Injectable()
export class EventRetention {
  private readonly followers: PositionFinder[] = [];

  constructor(
    private readonly database: Database,
    private readonly numbering: NumberingStore,
    private readonly clock: Clock,
    private readonly settings: AgreedSettings,
  ) {}

  /** Keeps the events for which a feature that follows the ledger still waits. */
  registerFollower(position: PositionFinder): void {
    this.followers.push(position);
  }

  /**
   * @returns the time, in milliseconds since 1970, before which events may be deleted; the beginning of a day. 0 if
   *   this clock is wrong, since one that is ahead would delete events too early, or if no server has told its option
   */
  async before(): Promise<number> {
    if (await isClockWrong(this.database)) return 0;
    const today = Math.floor(this.clock.now() / DAY_MS);
    const usual = (today - (await this.settings.longest('eventRetention'))) * DAY_MS;
    const furthest = (today - LONGEST_WAIT_DAYS) * DAY_MS;
    if (usual <= furthest) return Math.max(0, usual);
    return Math.max(furthest, Math.min(usual, (await this.awaitedSince()) ?? usual));
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
    await this.database.store([DELETE_EVENTS.step({ to }), DELETE_RECEIPTS.step({ to })]);
    return next !== undefined;
  }

  /** Deletes the ceremony counts of past weeks; they are kept as long as events. */
  async deleteCeremonyCounts(): Promise<void> {
    const week = weekOf(await this.before());
    await this.database.store([DELETE_COUNTS.step({ week })], { background: true });
  }

  /** A time before which there are no events that a follower is waiting for; `undefined` if none is waiting. */
  private async awaitedSince(): Promise<number | undefined> {
    const found = await Promise.all(this.followers.map((position) => position()));
    const waiting = found.filter((position) => position !== undefined);
    return waiting.length === 0 ? undefined : this.numbering.timeAfter(Math.min(...waiting));
  }
}
