import type { JobSettings } from '../../common/recurring-job.js';
import type { Database } from '../database.js';
import { isClockWrong } from '../server-facts.js';
import type { Statement } from '../statement.js';
import { deleteInUnits, type ShouldContinue } from '../commit/delete-in-units.js';
import { LeasedJob } from './leased-job.js';

/** Few enough not to delay sign-ins that share the connection. */
const ROWS_PER_UNIT = 200;

/** Rows that are deleted after their time, and some time for which they are kept. */
interface ExpiringRows {
  /** @param until rows whose time ended before are found, in milliseconds since 1970 */
  find(until: number, limit: number): Promise<readonly { readonly id: Buffer }[]>;
  readonly remove: Statement<{ ids: readonly Buffer[] }>;
  readonly keptMs: number;
}

/** Deletes expired rows. It can be stopped at any point, and two instances may run it at the same time. */
export abstract class ExpiryJob extends LeasedJob {
  constructor(
    private readonly database: Database,
    settings: Omit<JobSettings, 'level'> & { name: string },
    private readonly expiring: readonly ExpiringRows[],
  ) {
    super(database, settings);
  }

  protected override work(): Promise<void> {
    return this.catchUp(() => this.hold());
  }

  /** Deletes all of them, as `deleteInUnits`, without the lease. */
  async catchUp(mayGoOn?: ShouldContinue): Promise<void> {
    // A clock that is ahead would delete some that are still needed.
    if (await isClockWrong(this.database)) return;
    for (const { find, remove, keptMs } of this.expiring) {
      const until = this.clock.now() - keptMs;
      await deleteInUnits(this.database, {
        find: () => find(until, ROWS_PER_UNIT),
        remove: (ids) => [remove.step({ ids })],
        mayGoOn,
      });
    }
  }
}
