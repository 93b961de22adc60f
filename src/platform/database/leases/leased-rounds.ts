import { Logger, Injectable } from '@nestjs/common';
import { RecurringJob } from '../../common/recurring-job.js';
import { traceJob } from '../../telemetry/tracing.js';
import { Database } from '../database.js';
import { Lease } from './lease.js';

/** A job that is done again and again. */
export interface Job {
  readonly name: string;
  /** Milliseconds from the end of one round to the beginning of the next. */
  readonly everyMs: number;
  /** One round; it asks `hold` before it does what only one instance may do. */
  work(): Promise<void>;
  /**
   * Beginning of the log line after a failed round, which says when the job is tried again; and the log's
   * context.
   */
  readonly again: string;
  readonly context: string;
}

/**
 * Rounds of a job that only one instance does at a time, the one that holds its lease. A round that fails is
 * logged, and the next one tries again.
 */
export class LeasedRounds {
  private readonly rounds: RecurringJob;

  constructor(
    private readonly lease: Lease,
    private readonly job: Job,
  ) {
    this.rounds = new RecurringJob(() => this.round(), job.everyMs);
  }

  /** Whether work of many steps must end before its next step. */
  get stopped(): boolean {
    return this.rounds.stopped;
  }

  /** Whether this process may go on with work it has begun; does not ask the database. */
  get mayGoOn(): boolean {
    return !this.stopped && this.lease.isHeld;
  }

  /**
   * Whether this process may do the job; renews or takes the lease when that is due.
   *
   * @throws the driver's error
   */
  async hold(): Promise<boolean> {
    return !this.stopped && (await this.lease.hold());
  }

  /** Begins the first round after a pause; the timer does not keep the process alive. */
  start(): void {
    this.rounds.start();
  }

  /** Does one round now; logs its failure. */
  async round(): Promise<void> {
    const { job } = this;
    try {
      await traceJob(job.name, () => job.work());
    } catch (error) {
      Logger.warn(`${job.again}: ${String(error)}`, job.context);
    }
  }

  /**
   * Resolves when the round under way has ended and another instance may take over.
   *
   * @param farewell ends work that rounds have begun and that is still going on
   */
  async stop(farewell?: () => Promise<unknown>): Promise<void> {
    await this.rounds.stop();
    await farewell?.();
    await this.lease.giveBack().catch(() => undefined);
  }
}

/** The leases of this process, each by the name of its job. */
@Injectable()
export class Leases {
  constructor(private readonly database: Database) {}

  /** @param name name of the job, the same on all instances */
  of(name: string): Lease {
    return new Lease(this.database, name);
  }

  /** Rounds of the job with this name. */
  rounds(name: string, job: Omit<Job, 'name'>): LeasedRounds {
    return new LeasedRounds(this.of(name), { ...job, name });
  }
}
