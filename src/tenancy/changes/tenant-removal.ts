import { Injectable } from '@nestjs/common';
import {
  deleteInBatches,
  type ShouldContinue,
} from '../../platform/database/commit/delete-in-batches.js';
import { Database } from '../../platform/database/database.js';
import { LeasedJob } from '../../platform/database/leased-job.js';
import { DELETE_CREDENTIALS_OF, DELETE_USERS, LEFT_BEHIND } from '../tenancy.statements.js';

const EVERY_MS = 10_000;
/** Rows per batch. Small enough that other tenants do not notice, on Galera too. */
const BATCH = 200;

/**
 * Deletes the data of closed relying parties in small batches: a cascade over 100,000 users stalls every
 * other tenant for seconds. The job can stop at any point, and any instance can continue it. A lease spares instances
 * the same work, but nothing depends on it: two may delete at the same time.
 */
@Injectable()
export class TenantRemoval extends LeasedJob {
  constructor(private readonly database: Database) {
    super(database, {
      name: 'tenant-removal',
      everyMs: EVERY_MS,
      retryMessage: 'A removal goes on in ten seconds',
    });
  }

  protected override work(): Promise<void> {
    return this.catchUp(() => this.hold());
  }

  override onApplicationBootstrap(): void {
    super.onApplicationBootstrap();
    void this.runNow();
  }

  /** Deletes everything that is left, as `deleteInBatches` does, without regard to the lease. */
  async catchUp(mayGoOn?: ShouldContinue): Promise<void> {
    await deleteInBatches(this.database, {
      find: () => this.database.query(LEFT_BEHIND, { limit: BATCH }),
      remove: (userIds) => [
        DELETE_CREDENTIALS_OF.step({ userIds }),
        DELETE_USERS.step({ userIds }),
      ],
      mayGoOn,
    });
  }
}
