import { Injectable } from '@nestjs/common';
import { idFrom } from '../row-ids.js';
import { Database } from '../database.js';
import { DAY_MS } from '../../common/durations.js';
import { ExpiryJob } from '../jobs/expiry-job.js';
import { DELETE_OUTCOMES, FIND_OLD_OUTCOMES } from './unit-outcome.statements.js';

const EVERY_MS = 600_000;
/** A lost answer is looked up within seconds; but clocks of instances differ. */
const KEPT_MS = DAY_MS;

/** Deletes the outcomes of units that were answered long ago. */
@Injectable()
export class OldOutcomes extends ExpiryJob {
  constructor(database: Database) {
    super(
      database,
      {
        name: 'old-outcomes',
        everyMs: EVERY_MS,
        retryMessage: 'Old outcomes are deleted in ten minutes',
      },
      [
        {
          find: (until, limit) =>
            database.query(FIND_OLD_OUTCOMES, { until: idFrom(until), limit }),
          remove: DELETE_OUTCOMES,
          keptMs: KEPT_MS,
        },
      ],
    );
  }
}
