import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Deletions } from '../../users/deletions/deletions.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { changeOf } from './evaluation/change-of.js';
import { EvaluationBasis } from './evaluation/evaluation-basis.js';
import { FindingStore } from './finding-store.js';
import { KeyEvaluation } from './evaluation/key-evaluation.js';
import { StoredKeys } from './evaluation/stored-keys.js';

/**
 * Evaluates keys whose deletion was undone: nobody did while they were deleted, and their findings were
 * deleted with them.
 */
@Injectable()
export class RestoredKeys implements OnModuleInit {
  constructor(
    private readonly deletions: Deletions,
    private readonly basis: EvaluationBasis,
    private readonly evaluation: KeyEvaluation,
    private readonly stored: StoredKeys,
    private readonly store: FindingStore,
  ) {}

  onModuleInit(): void {
    this.deletions.whenRestored((rp, hashes) => this.evaluate(rp, hashes));
  }

  private async evaluate(rp: RelyingParty, hashes: readonly Buffer[]): Promise<void> {
    if (!this.basis.of(rp)) return;
    const keys = await this.stored.ofHashes(rp, hashes);
    const changes = keys.flatMap((key) => changeOf(this.evaluation, rp, key) ?? []);
    if (changes.length > 0) await this.store.record(rp, changes);
  }
}
