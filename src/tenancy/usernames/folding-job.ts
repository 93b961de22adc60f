import { Injectable, Logger } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { Leases, type LeasedRounds } from '../../platform/database/leases/leased-rounds.js';
import { TenantDirectory } from '../scope/tenant-directory.js';
import { ignoresCase } from '../relying-party.js';
import { foldNames } from './folded-names.js';

const EVERY_MS = 60_000;

/**
 * Folds, where case does not count, the names that were stored without being folded: by an instance of an
 * earlier version beside this one, or by a node of a cluster that had not heard of the change. Until then a
 * user with such a name is found only by the name as it was registered.
 */
@Injectable()
export class FoldingJob {
  private readonly rounds: LeasedRounds;

  constructor(
    private readonly database: Database,
    private readonly directory: TenantDirectory,
    leases: Leases,
  ) {
    this.rounds = leases.rounds('folded-names', {
      everyMs: EVERY_MS,
      work: () => this.work(),
      again: 'Names are folded in a minute',
      context: 'Users',
    });
  }

  /** One round, regardless of who holds the lease. */
  async foldAll(): Promise<void> {
    for (const rp of this.directory.current.relyingParties.filter(ignoresCase)) {
      if (this.rounds.stopped) return;
      if (await foldNames(this.database, rp)) continue;
      Logger.warn(`${rp.domain} has names that differ in their case alone`, 'Users');
    }
  }

  private async work(): Promise<void> {
    const needed = this.directory.current.relyingParties.some(ignoresCase);
    if (needed && (await this.rounds.hold())) await this.foldAll();
  }
}
