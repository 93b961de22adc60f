import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Leases, type LeasedRounds } from '../../platform/database/leases/leased-rounds.js';
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
export class FoldingJob {
  private readonly logger = new Logger(FoldingJob.name);
  private readonly rounds: LeasedRounds;

  constructor(
    private readonly database: Database,
    private readonly directory: RelyingPartyCache,
    leases: Leases,
  ) {
    this.rounds = leases.rounds('folded-names', {
      everyMs: EVERY_MS,
      work: () => this.work(),
      retryMessage: 'Names are folded in a minute',
      context: FoldingJob.name,
    });
  }

  /** Runs one round, without regard to the lease. */
  async foldAll(): Promise<void> {
    for (const rp of this.directory.current.relyingParties.filter(ignoresCase)) {
      if (this.rounds.stopped) return;
      if (await foldNames(this.database, rp)) continue;
      this.logger.warn(`${rp.domain} has names that differ in their case alone`);
    }
  }

  private async work(): Promise<void> {
    const needed = this.directory.current.relyingParties.some(ignoresCase);
    if (needed && (await this.rounds.hold())) await this.foldAll();
  }
}
