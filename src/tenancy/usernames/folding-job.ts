import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { LeasedJob } from '../../platform/database/leased-job.js';
import { RelyingPartyCache } from '../scope/relying-party-cache.js';
import { ignoresCase } from './name-key.js';
import { foldNames } from './folded-names.js';

const EVERY_MS = 60_000;

/**
 * Folds names that were stored unfolded at relying parties that ignore case: by an instance of an earlier
 * version, or by a cluster node that had not noticed the change. Until then such a user is found only by
 * the exact registered name.
 */
@Injectable()
export class FoldingJob extends LeasedJob {
  private readonly logger = new Logger(FoldingJob.name);

  constructor(
    private readonly database: Database,
    private readonly directory: RelyingPartyCache,
  ) {
    super(database, {
      name: 'folded-names',
      everyMs: EVERY_MS,
      retryMessage: 'Names are folded in a minute',
    });
  }

  /** Runs one round, without regard to the lease. */
  async foldAll(): Promise<void> {
    for (const rp of this.directory.current.relyingParties.filter(ignoresCase)) {
      if (this.stopped) return;
      if (await foldNames(this.database, rp)) continue;
      this.logger.warn(`${rp.domain} has names that differ in their case alone`);
    }
  }

  protected override async work(): Promise<void> {
    const needed = this.directory.current.relyingParties.some(ignoresCase);
    if (needed && (await this.hold())) await this.foldAll();
  }
}
