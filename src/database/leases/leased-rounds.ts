import { Logger } from '@nestjs/common';
import { Recurring } from '../../common/recurring.js';
import type { Lease } from './lease.js';

/** A job that comes round again. */
export interface Job {
  /** Milliseconds from the end of one round to the beginning of the next. */
  readonly everyMs: number;
  /** One round; it asks `hold` before it does what only one instance may do. */
  work(): Promise<void>;
  /** When it is done again, which is said of a round that failed, and of which part of the server. */
  readonly again: string;
  readonly context: string;
}

/**
 * Rounds of a job that one of all instances does at a time, the one that holds its lease. A round that fails
 * is told of, and the next one tries again.
 */
export class LeasedRounds {
  private readonly rounds: Recurring;

  constructor(
    private readonly lease: Lease,
    private readonly job: Job,
  ) {
    this.rounds = new Recurring(() => this.round(), job.everyMs);
  }

  /** For work of many steps: whether it is to end before its next one. */
  get stopped(): boolean {
    return this.rounds.stopped;
  }

  /** Whether this process may go on with what it has begun; asks nobody. */
  get mayGoOn(): boolean {
    return !this.stopped && this.lease.isHeld;
  }

  /**
   * Whether the job is this process's; renews or takes the lease where it is time to.
   *
   * @throws the driver's error
   */
  async hold(): Promise<boolean> {
    return !this.stopped && (await this.lease.hold());
  }

  /** Begins the first round after a pause; keeps no process alive. */
  start(): void {
    this.rounds.start();
  }

  /** One round now. */
  async round(): Promise<void> {
    const { job } = this;
    try {
      await job.work();
    } catch (error) {
      Logger.warn(`${job.again}: ${String(error)}`, job.context);
    }
  }

  /**
   * Resolves when the round under way has ended and another instance may take over.
   *
   * @param farewell ends what rounds have begun and left to go on
   */
  async stop(farewell?: () => Promise<unknown>): Promise<void> {
    await this.rounds.stop();
    await farewell?.();
    await this.lease.giveBack().catch(() => undefined);
  }
}
