import { Injectable } from '@nestjs/common';
import { idFrom } from '../row-ids.js';
import { Database } from '../database.js';
import { LeasedJob } from '../leased-job.js';
import { isClockWrong } from '../server-facts.js';
import { DAY_MS } from '../../common/durations.js';
import { deleteInBatches, type ShouldContinue } from './delete-in-batches.js';
import { DELETE_OUTCOMES, FIND_OLD_OUTCOMES } from './unit-outcome.statements.js';

const EVERY_MS = 600_000;
/** A lost answer is looked up within seconds; but clocks of instances differ. */
const KEPT_MS = DAY_MS;
/** Small enough not to delay sign-ins that share the connection. */
const BATCH = 200;

/** Deletes the outcomes of units that were answered long ago. */
@Injectable()
export class OldOutcomes extends LeasedJob {
  constructor(private readonly database: Database) {
    super(database, {
      name: 'old-outcomes',
      everyMs: EVERY_MS,
      retryMessage: 'Old outcomes are deleted in ten minutes',
    });
  }

  protected override work(): Promise<void> {
    return this.catchUp(() => this.hold());
  }

  /** Deletes all of them, as `deleteInBatches`, without the lease. */
  async catchUp(mayGoOn?: ShouldContinue): Promise<void> {
    // A clock that is ahead by days would delete outcomes that are still looked up.
    if (await isClockWrong(this.database)) return;
    const until = idFrom(this.clock.now() - KEPT_MS);
    await deleteInBatches(this.database, {
      find: () => this.database.query(FIND_OLD_OUTCOMES, { until, limit: BATCH }),
      remove: (ids) => [DELETE_OUTCOMES.step({ ids })],
      mayGoOn,
    });
  }
}
