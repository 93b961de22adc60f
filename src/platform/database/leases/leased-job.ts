import type { OnApplicationBootstrap } from '@nestjs/common';
import { RecurringJob, type JobSettings } from '../../common/recurring-job.js';
import { traceJob } from '../../telemetry/tracing.js';
import type { Database } from '../database.js';
import { Lease } from './lease.js';

interface LeasedJobSettings extends Omit<JobSettings, 'level'> {
  /** The same on all instances. */
  readonly name: string;
}

/** A job that only one instance does at a time, the holder of its lease, in rounds while the server runs. */
export abstract class LeasedJob extends RecurringJob implements OnApplicationBootstrap {
  private readonly lease: Lease;
  private readonly name: string;

  constructor(database: Database, settings: LeasedJobSettings) {
    super(settings);
    this.name = settings.name;
    this.lease = new Lease(database, settings.name);
  }

  protected override attempt(): Promise<void> {
    return traceJob(this.name, () => super.attempt());
  }

  onApplicationBootstrap(): void {
    this.start();
  }

  override async onModuleDestroy(): Promise<void> {
    await super.onModuleDestroy();
    await this.onStop?.();
    await this.lease.giveBack().catch(() => undefined);
  }

  /** One round. It calls `hold` before it does what only one instance may do. */
  protected abstract override work(): Promise<void>;

  /** Ends work of earlier rounds that is still running when the server stops. */
  protected onStop?(): Promise<unknown>;

  /** Whether this process may continue work that it has begun; does not query the database. */
  protected get mayGoOn(): boolean {
    return !this.stopped && this.lease.isHeld;
  }

  /** As `Lease.hold`; `false` once the server stops. */
  protected async hold(): Promise<boolean> {
    return !this.stopped && (await this.lease.hold());
  }
}
