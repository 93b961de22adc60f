import {
  Logger,
  Injectable,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
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
  /** Ends work that rounds have begun and that is still going on when the server stops. */
  farewell?(): Promise<unknown>;
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

  /** Resolves when the round under way has ended and another instance may take over. */
  async stop(): Promise<void> {
    await this.rounds.stop();
    await this.job.farewell?.();
    await this.lease.giveBack().catch(() => undefined);
  }
}

/** The leases of this process, and the jobs that it does while the server runs. */
@Injectable()
export class Leases implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly jobs: LeasedRounds[] = [];

  constructor(private readonly database: Database) {}

  onApplicationBootstrap(): void {
    for (const job of this.jobs) job.start();
  }

  async onModuleDestroy(): Promise<void> {
    await Promise.all(this.jobs.map((job) => job.stop()));
  }

  /** Rounds of a job, which begin with the server and end with it. @param name the same on all instances */
  rounds(name: string, job: Omit<Job, 'name'>): LeasedRounds {
    const rounds = new LeasedRounds(new Lease(this.database, name), { ...job, name });
    this.jobs.push(rounds);
    return rounds;
  }
}
