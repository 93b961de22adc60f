import { Injectable } from '@nestjs/common';
import { Batches } from '../../batches/batches.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { mapKey } from '../../platform/database/row-ids.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RegistrationWriter } from '../../users/credentials/registration-writer.js';
import type { KeptDeletion } from '../../users/deletions/restoring-steps.js';
import { noteForEvaluation } from '../../users/groups/group-steps.js';
import { UserChanges, type ChangedKey } from '../../users/user-changes.js';
import type { FoundUser } from '../../users/user-rows.js';
import { EvaluationBasis } from './evaluation/evaluation-basis.js';
import {
  changeWithoutRules,
  KeyEvaluation,
  type FindingChange,
  type KeyToEvaluate,
} from './evaluation/key-evaluation.js';
import { FindingStore } from './finding-store.js';

/** The least fingerprint. */
const LEAST = Buffer.alloc(16);

/**
 * The findings about keys that a user reports, an account enables or an undo restores, in the unit of that change. While
 * the basis is missing, the unit notes the user instead: the evaluation after its arrival passes over all keys if
 * nothing else has changed. So does a registration without the list of revoked phone keys.
 */
@Injectable()
export class FindingsOnChange {
  constructor(
    private readonly basis: EvaluationBasis,
    private readonly evaluation: KeyEvaluation,
    private readonly store: FindingStore,
    private readonly batches: Batches,
    changes: UserChanges,
    writer: RegistrationWriter,
  ) {
    changes.registerReportSteps((user, keys) => this.stepsAfterReport(user, keys));
    // Metadata that this process lacks was never there, so its arrival has all keys evaluated.
    writer.registerLaterSteps((rp, userId) =>
      this.basis.lacksPhoneList ? [noteForEvaluation(rp, userId)] : [],
    );
  }

  /**
   * The steps that follow a restoration in its unit: what the keys missed while they were deleted. They were not
   * evaluated, and their findings were deleted with them: the unit stores the findings, so that no key is enabled that a
   * rule disables. And a job that disables a model may have passed them: it begins again.
   */
  async stepsAfterRestoration(deletion: KeptDeletion): Promise<Step[]> {
    const { id, relyingParty: rp, userId, username, keys } = deletion;
    if (keys.length === 0) return [];
    const aaguids = keys.map(({ aaguid }) => aaguid);
    const steps = [this.batches.rewindStep(rp, aaguids, Buffer.concat([LEAST, id]))];
    if (!this.basis.isReady) return [...steps, ...this.notes(rp, userId)];
    const stored = await this.store.keys.ofDeletion(deletion);
    const changes = stored.flatMap(
      (key) => this.evaluation.changeOf(rp, { ...key, username }) ?? [],
    );
    return [...steps, ...this.store.stepsAfterChange(rp, stored, changes)];
  }

  /**
   * The steps about keys that their user reports, and about those that an account then enables: the report's finding
   * ends, and one of the policy takes its place.
   */
  private async stepsAfterReport(
    { id: userId, relyingParty: rp }: FoundUser,
    keys: readonly ChangedKey[],
  ): Promise<Step[]> {
    const changed = new Map(keys.map((key) => [mapKey(key.id), key]));
    const ids = keys.map(({ id }) => id);
    const stored = await this.store.keys.ofIds(rp, ids);
    const changes = stored.flatMap((before) => {
      const key = { ...before, ...changed.get(mapKey(before.id)) };
      return this.changeOf(rp, key) ?? [];
    });
    return [...this.store.stepsAfterChange(rp, stored, changes), ...this.notes(rp, userId)];
  }

  private notes(rp: RelyingParty, userId: Buffer): Step[] {
    return this.basis.isReady ? [] : [noteForEvaluation(rp, userId)];
  }

  private changeOf(rp: RelyingParty, key: KeyToEvaluate): FindingChange | undefined {
    // Without a basis, the note has the key evaluated later.
    return this.basis.isReady ? this.evaluation.changeOf(rp, key) : changeWithoutRules(key);
  }
}
