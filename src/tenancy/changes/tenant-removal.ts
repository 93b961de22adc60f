import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { deleteInBatches, type MayGoOn } from '../../platform/database/commit/delete-in-batches.js';
import { Database } from '../../platform/database/database.js';
import { Leases, type LeasedRounds } from '../../platform/database/leases/leased-rounds.js';
import { DELETE_CREDENTIALS_OF, DELETE_USERS, LEFT_BEHIND } from '../tenancy.statements.js';

const EVERY_MS = 10_000;
/** Small enough that other tenants do not notice, on Galera too. */
const BATCH = 200;

/**
 * Deletes what closed relying parties still hold, in small batches: a cascade over 100,000 users
 * stalls every other tenant for seconds. It can stop anywhere, and any instance goes on with it; two that
 * do it at once do no harm.
 */
@Injectable()
export class TenantRemoval implements OnApplicationBootstrap {
  private readonly rounds: LeasedRounds;

  constructor(
    private readonly database: Database,
    leases: Leases,
  ) {
    this.rounds = leases.rounds('tenant-removal', {
      everyMs: EVERY_MS,
      work: () => this.catchUp(() => this.rounds.hold()),
      again: 'A removal goes on in ten seconds',
      context: 'Tenancy',
    });
  }

  onApplicationBootstrap(): void {
    this.start();
  }

  /** Begins in the background, or after the round under way, unless another instance is at it. */
  start(): void {
    void this.rounds.round();
  }

  /** Deletes all that is left, as `deleteInBatches`, regardless of who holds the lease. */
  async catchUp(mayGoOn?: MayGoOn): Promise<void> {
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
