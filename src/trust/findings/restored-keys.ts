import { Injectable } from '@nestjs/common';
import { Batches } from '../../batches/batches.js';
import type { Step } from '../../platform/database/commit/unit.js';
import type { KeptDeletion } from '../../users/deletions/deletion-steps.js';
import { EvaluationBasis } from './evaluation/evaluation-basis.js';
import { FindingStore } from './finding-store.js';
import { KeyEvaluation } from './evaluation/key-evaluation.js';

/** The least fingerprint. */
const LEAST = Buffer.alloc(16);

/**
 * What keys missed while they were deleted, in the unit that restores them. They were not evaluated, and their findings
 * were deleted with them: the unit stores the findings, so that no key is enabled that a rule disables. And a job that
 * disables a model may have passed them: it begins again.
 */
@Injectable()
export class RestoredKeys {
  constructor(
    private readonly basis: EvaluationBasis,
    private readonly evaluation: KeyEvaluation,
    private readonly store: FindingStore,
    private readonly batches: Batches,
  ) {}

  /** The steps that follow the restoration in its unit. */
  async steps(deletion: KeptDeletion): Promise<Step[]> {
    const { id, relyingParty: rp, username, keys } = deletion;
    if (keys.length === 0) return [];
    const aaguids = keys.map(({ aaguid }) => aaguid);
    const steps = [this.batches.rewindStep(rp, aaguids, Buffer.concat([LEAST, id]))];
    if (!this.basis.of(rp)) return steps;
    const stored = await this.store.keys.ofDeletion(deletion);
    const changes = stored.flatMap(
      (key) => this.evaluation.changeOf(rp, { ...key, username }) ?? [],
    );
    if (changes.length > 0) steps.push(...this.store.stepsAfterChange(rp, changes));
    return steps;
  }
}
