import { Injectable } from '@nestjs/common';
import { DAY_MS, MAX_CEREMONY_MS } from '../../platform/common/durations.js';
import { Database } from '../../platform/database/database.js';
import { ExpiryJob } from '../../platform/database/jobs/expiry-job.js';
import {
  EXPIRED_INVITATIONS,
  EXPIRED_REPEATABLE,
  EXPIRED_TICKETS,
  REMOVE_INVITATIONS,
  REMOVE_REPEATABLE,
  REMOVE_TICKETS,
} from './ticket.statements.js';

const EVERY_MS = 60_000;

const EXPIRING = [
  { found: EXPIRED_REPEATABLE, remove: REMOVE_REPEATABLE, keptMs: 0 },
  // A ceremony that began in time must still find its ticket when it ends.
  { found: EXPIRED_TICKETS, remove: REMOVE_TICKETS, keptMs: MAX_CEREMONY_MS },
  // Kept so that an old link, and the help desk, still show what became of the invitation.
  { found: EXPIRED_INVITATIONS, remove: REMOVE_INVITATIONS, keptMs: 30 * DAY_MS },
];

/** Deletes tickets and invitations that expired long ago, and registrations that can no longer be repeated. */
@Injectable()
export class ExpiredPermits extends ExpiryJob {
  constructor(database: Database) {
    super(
      database,
      {
        name: 'expired-permits',
        everyMs: EVERY_MS,
        retryMessage: 'Old tickets are deleted in a minute',
      },
      EXPIRING.map(({ found, ...more }) => ({
        find: (until, limit) => database.query(found, { until, limit }),
        ...more,
      })),
    );
  }
}
