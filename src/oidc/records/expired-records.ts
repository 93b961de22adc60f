import { Injectable } from '@nestjs/common';
import { HOUR_MS } from '../../platform/common/durations.js';
import {
  deleteInBatches,
  type ShouldContinue,
} from '../../platform/database/commit/delete-in-batches.js';
import { Database } from '../../platform/database/database.js';
import { LeasedJob } from '../../platform/database/leased-job.js';
import { isClockWrong } from '../../platform/database/server-facts.js';
import { EXPIRED_RECORDS, REMOVE_RECORDS } from './oidc-record.statements.js';

const EVERY_MS = 60_000;
/** Small enough not to delay sign-ins that share the connection. */
const BATCH = 200;
/** The clocks of instances may differ. */
const KEPT_MS = HOUR_MS;

/** Deletes sessions, grants, codes and tokens that expired. It can be stopped at any point. */
@Injectable()
export class ExpiredRecords extends LeasedJob {
  constructor(private readonly database: Database) {
    super(database, {
      name: 'expired-oidc-records',
      everyMs: EVERY_MS,
      retryMessage: 'Old sessions of OpenID Connect are deleted in a minute',
    });
  }

  protected override work(): Promise<void> {
    return this.catchUp(() => this.hold());
  }

  /** Deletes all of them, as `deleteInBatches`, without the lease. */
  async catchUp(mayGoOn?: ShouldContinue): Promise<void> {
    // A clock that is ahead would delete some that are still valid.
    if (await isClockWrong(this.database)) return;
    const until = this.clock.now() - KEPT_MS;
    await deleteInBatches(this.database, {
      find: () => this.database.query(EXPIRED_RECORDS, { until, limit: BATCH }),
      remove: (ids) => [REMOVE_RECORDS.step({ ids })],
      mayGoOn,
    });
  }
}
