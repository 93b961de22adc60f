import { Inject, Injectable } from '@nestjs/common';
import type { ConfigType } from '@nestjs/config';
import { Clock } from '../../common/clock.js';
import { serverOptions } from '../../config/server-config.js';
import { NumberingStore } from '../numbering/numbering-store.js';

const DAY_MS = 86_400_000;
/** Events wait no longer for somebody who does not take them. */
const LONGEST_WAIT_DAYS = 7;

/** @returns the number up to which whoever waits for events was told; `undefined` where nobody waits */
export type Told = () => Promise<number | undefined>;

/** How far back the ledger is kept: `--event-retention`, and longer for who has not been told yet. */
@Injectable()
export class EventRetention {
  private readonly waiting: Told[] = [];

  constructor(
    private readonly numbering: NumberingStore,
    private readonly clock: Clock,
    @Inject(serverOptions.KEY) private readonly options: ConfigType<typeof serverOptions>,
  ) {}

  /** Lets events wait until they were told, for a week at most. */
  waitFor(told: Told): void {
    this.waiting.push(told);
  }

  /** @returns the moment, in milliseconds since 1970, before which events may go: whole days */
  async before(): Promise<number> {
    const today = Math.floor(this.clock.now() / DAY_MS);
    const usual = (today - this.options.eventRetention) * DAY_MS;
    const furthest = (today - LONGEST_WAIT_DAYS) * DAY_MS;
    if (usual <= furthest) return usual;
    return Math.max(furthest, Math.min(usual, ...(await this.awaited())));
  }

  /** When those happened that somebody waits for. */
  private async awaited(): Promise<number[]> {
    const told = await Promise.all(this.waiting.map((ask) => ask()));
    const waiting = told.filter((number) => number !== undefined);
    const times = await Promise.all(waiting.map((number) => this.numbering.timeBehind(number)));
    return times.filter((time) => time !== undefined);
  }
}
