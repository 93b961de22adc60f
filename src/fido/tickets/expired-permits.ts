import { Injectable } from '@nestjs/common';
import { MAX_CEREMONY_MS } from '../../platform/config/server-options.js';
import {
  deleteInBatches,
  type ShouldContinue,
} from '../../platform/database/commit/delete-in-batches.js';
import { Database } from '../../platform/database/database.js';
import { isClockWrong } from '../../platform/database/server-facts.js';
import { LeasedJob } from '../../platform/database/leased-job.js';
import { DAY_MS } from '../../platform/common/durations.js';
import {
  EXPIRED_INVITATIONS,
  EXPIRED_REPEATABLE,
  EXPIRED_TICKETS,
  REMOVE_INVITATIONS,
  REMOVE_REPEATABLE,
  REMOVE_TICKETS,
} from './ticket.statements.js';

const EVERY_MS = 60_000;
/** Small enough not to delay sign-ins that share the connection. */
const BATCH = 200;

const EXPIRING = [
  { find: EXPIRED_REPEATABLE, remove: REMOVE_REPEATABLE, keptMs: 0 },
  // A ceremony that began in time must still find its ticket when it ends.
  { find: EXPIRED_TICKETS, remove: REMOVE_TICKETS, keptMs: MAX_CEREMONY_MS },
  // Kept so that an old link, and the help desk, still show what became of the invitation.
  { find: EXPIRED_INVITATIONS, remove: REMOVE_INVITATIONS, keptMs: 30 * DAY_MS },
];

/**
 * Deletes tickets and invitations that expired long ago, and registrations that can no longer be repeated. It can be stopped at any point, and two instances may run
 * it at the same time.
 */
@Injectable()
export class ExpiredPermits extends LeasedJob {
  constructor(private readonly database: Database) {
    super(database, {
      name: 'expired-permits',
      everyMs: EVERY_MS,
      retryMessage: 'Old tickets are deleted in a minute',
    });
  }

  protected override work(): Promise<void> {
    return this.catchUp(() => this.hold());
  }

  /** Deletes all of them, as `deleteInBatches`, without the lease. */
  async catchUp(mayGoOn?: ShouldContinue): Promise<void> {
    // A clock that is ahead would delete some that are still valid.
    if (await isClockWrong(this.database)) return;
    for (const { find, remove, keptMs } of EXPIRING) {
      const until = this.clock.now() - keptMs;
      await deleteInBatches(this.database, {
        find: () => this.database.query(find, { until, limit: BATCH }),
        remove: (ids) => [remove.step({ ids })],
        mayGoOn,
      });
    }
  }
}
