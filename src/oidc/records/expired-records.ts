import { Injectable } from '@nestjs/common';
import { HOUR_MS } from '../../platform/common/durations.js';
import { Database } from '../../platform/database/database.js';
import { ExpiryJob } from '../../platform/database/jobs/expiry-job.js';
import { EXPIRED_RECORDS, REMOVE_RECORDS } from './oidc-record.statements.js';

const EVERY_MS = 60_000;
/** The clocks of instances may differ. */
const KEPT_MS = HOUR_MS;

/** Deletes sessions, grants, codes and tokens that expired. */
@Injectable()
export class ExpiredRecords extends ExpiryJob {
  constructor(database: Database) {
    super(
      database,
      {
        name: 'expired-oidc-records',
        everyMs: EVERY_MS,
        retryMessage: 'Old sessions of OpenID Connect are deleted in a minute',
      },
      [
        {
          find: (until, limit) => database.query(EXPIRED_RECORDS, { until, limit }),
          remove: REMOVE_RECORDS,
          keptMs: KEPT_MS,
        },
      ],
    );
  }
}
