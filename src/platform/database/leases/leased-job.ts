import type { OnApplicationBootstrap, OnModuleDestroy } from '@nestjs/common';
import { RecurringJob, type Job } from '../../common/recurring-job.js';
import { traceJob } from '../../telemetry/tracing.js';
import type { Database } from '../database.js';
import { Lease } from './lease.js';

interface LeasedJobFacts extends Pick<Job, 'everyMs' | 'retryMessage'> {
  /** The same on all instances. */
  readonly name: string;
}

/** A job that only one instance does at a time, the holder of its lease, in rounds while the server runs. */
export abstract class LeasedJob implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly lease: Lease;
  private readonly rounds: RecurringJob;

  constructor(database: Database, { name, everyMs, retryMessage }: LeasedJobFacts) {
    this.lease = new Lease(database, name);
    this.rounds = new RecurringJob({
      everyMs,
      work: () => traceJob(name, () => this.work()),
      retryMessage,
      context: this.constructor.name,
    });
  }

  onApplicationBootstrap(): void {
    this.rounds.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.rounds.stop();
    await this.onStop?.();
    await this.lease.giveBack().catch(() => undefined);
  }

  /** One round. It calls `hold` before it does what only one instance may do. */
  protected abstract work(): Promise<void>;

  /** Ends work of earlier rounds that is still running when the server stops. */
  protected onStop?(): Promise<unknown>;

  /** Whether work of many steps must stop before its next step. */
  protected get stopped(): boolean {
    return this.rounds.stopped;
  }

  /** Whether this process may continue work that it has begun; does not query the database. */
  protected get mayGoOn(): boolean {
    return !this.stopped && this.lease.isHeld;
  }

  /** As `Lease.hold`; `false` once the server stops. */
  protected async hold(): Promise<boolean> {
    return !this.stopped && (await this.lease.hold());
  }

  /** Runs a round now, or after the current one; logs its failure. */
  protected runNow(): Promise<void> {
    return this.rounds.catchUp();
  }
}
