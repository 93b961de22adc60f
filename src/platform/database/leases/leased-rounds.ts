import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { RecurringJob, type Job } from '../../common/recurring-job.js';
import { traceJob } from '../../telemetry/tracing.js';
import { Database } from '../database.js';
import { Lease } from './lease.js';

/** A job whose `work` calls `hold` before it does what only one instance may do. */
interface LeasedJob extends Job {
  readonly name: string;
  /** Ends work of earlier rounds that is still running when the server stops. */
  onStop?(): Promise<unknown>;
}

/** Rounds of a job that only one instance does at a time, the holder of its lease. */
export class LeasedRounds extends RecurringJob {
  constructor(
    private readonly lease: Lease,
    private readonly leased: LeasedJob,
  ) {
    super({ ...leased, work: () => traceJob(leased.name, () => leased.work()) });
  }

  /** Whether this process may continue work that it has begun; does not query the database. */
  get mayGoOn(): boolean {
    return !this.stopped && this.lease.isHeld;
  }

  /** As `Lease.hold`; `false` once the server stops. */
  async hold(): Promise<boolean> {
    return !this.stopped && (await this.lease.hold());
  }

  /** Resolves when the current round has ended and another instance may take over. */
  override async stop(): Promise<void> {
    await super.stop();
    await this.leased.onStop?.();
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

  /**
   * Rounds of a job, which begin with the server and end with it.
   *
   * @param name the same on all instances
   */
  rounds(name: string, job: Omit<LeasedJob, 'name'>): LeasedRounds {
    const rounds = new LeasedRounds(new Lease(this.database, name), { ...job, name });
    this.jobs.push(rounds);
    return rounds;
  }
}
