import { Injectable } from '@nestjs/common';
import type { Step } from '../../platform/database/commit/unit.js';
import type { KeptDeletion } from '../../users/deletions/deletion-steps.js';
import { Deletions } from '../../users/deletions/deletions.js';
import { EvaluationBasis } from './evaluation/evaluation-basis.js';
import { FindingStore } from './finding-store.js';
import { KeyEvaluation } from './evaluation/key-evaluation.js';
import { StoredKeys } from './evaluation/stored-keys.js';

/**
 * Evaluates keys whose deletion is undone: they were not evaluated while they were deleted, and their findings were
 * deleted with them. The unit that restores the keys also stores the findings, so that no key is enabled that a rule
 * disables.
 */
@Injectable()
export class RestoredKeys {
  constructor(
    private readonly basis: EvaluationBasis,
    private readonly evaluation: KeyEvaluation,
    private readonly stored: StoredKeys,
    private readonly store: FindingStore,
    deletions: Deletions,
  ) {
    deletions.restoreWith((deletion) => this.stepsOf(deletion));
  }

  private async stepsOf(deletion: KeptDeletion): Promise<Step[]> {
    const { relyingParty: rp, username } = deletion;
    if (!this.basis.of(rp)) return [];
    const keys = await this.stored.ofDeletion(deletion);
    const changes = keys.flatMap((key) => this.evaluation.changeOf(rp, { ...key, username }) ?? []);
    return changes.length === 0 ? [] : this.store.stepsBehindRestoration(rp, changes);
  }
}
