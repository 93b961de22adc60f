import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { DAY_MS } from '../../platform/common/durations.js';
import type { ShouldContinue } from '../../platform/database/commit/delete-in-units.js';
import { Database } from '../../platform/database/database.js';
import { isClockWrong } from '../../platform/database/server-facts.js';
import { LeasedJob } from '../../platform/database/jobs/leased-job.js';
import { NO_ID } from '../../platform/database/row-ids.js';
import { DELETIONS_AFTER, END_DELETIONS } from './deletion.statements.js';

/** How long a deletion on a page can be undone. */
export const UNDO_MS = DAY_MS;

const EVERY_MS = 60_000;
/** Few enough not to delay sign-ins that share the connection. */
const DELETIONS_PER_UNIT = 100;
const PAUSE_MS = 5;

/**
 * Makes deletions permanent: those that are a day old, those of removed relying parties, and those after which another
 * user registered the name, or the user registered a key. It can stop and continue at any point; two
 * instances may run it at the same time.
 */
@Injectable()
export class DeletionEnding extends LeasedJob {
  constructor(private readonly database: Database) {
    super(database, {
      name: 'deletions',
      everyMs: EVERY_MS,
      retryMessage: 'Deletions are ended in a minute',
    });
  }

  protected override work(): Promise<void> {
    return this.catchUp(() => this.hold());
  }

  /**
   * Ends all deletions that are due, even if another instance holds the lease.
   *
   * @throws the driver's error; deletions ended until then stay ended
   */
  async catchUp(mayGoOn: ShouldContinue = () => true): Promise<void> {
    // A clock that is ahead would end them too early.
    if (await isClockWrong(this.database)) return;
    for (let last: Buffer | undefined = NO_ID; last && (await mayGoOn()); await pause(PAUSE_MS)) {
      const params = { until: this.clock.now() - UNDO_MS, after: last, limit: DELETIONS_PER_UNIT };
      const rows: { id: Buffer; isOver: number }[] = await this.database.query(
        DELETIONS_AFTER,
        params,
      );
      const over = rows.filter(({ isOver }) => isOver === 1).map(({ id }) => id);
      if (over.length > 0) {
        await this.database.store([END_DELETIONS.step({ ids: over })], { background: true });
      }
      last = rows.at(-1)?.id;
    }
  }
}
