import { Injectable } from '@nestjs/common';
import type { Step } from '../../platform/database/commit/unit.js';
import { mapKey } from '../../platform/database/row-ids.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { isReported } from '../../users/credentials/key-state.js';
import { UserChanges, type ChangedKey } from '../../users/user-changes.js';
import type { FoundUser } from '../../users/user-rows.js';
import { EvaluationBasis } from './evaluation/evaluation-basis.js';
import {
  KeyEvaluation,
  type FindingChange,
  type KeyToEvaluate,
} from './evaluation/key-evaluation.js';
import { nextKeyState } from './evaluation/next-key-state.js';
import { FindingStore } from './finding-store.js';

/**
 * The findings about keys that their user reports, and about those that an account then enables, in the unit of the
 * change: the report's finding ends, and one of the policy takes its place.
 */
@Injectable()
export class ReportedKeys {
  constructor(
    private readonly basis: EvaluationBasis,
    private readonly evaluation: KeyEvaluation,
    private readonly store: FindingStore,
    changes: UserChanges,
  ) {
    changes.registerReportSteps((user, keys) => this.steps(user, keys));
  }

  private async steps(
    { relyingParty: rp }: FoundUser,
    keys: readonly ChangedKey[],
  ): Promise<Step[]> {
    const changed = new Map(keys.map((key) => [mapKey(key.id), key]));
    const ids = keys.map(({ id }) => id);
    const stored = await this.store.keys.ofIds(rp, ids);
    const changes = stored.flatMap((before) => {
      const key = { ...before, ...changed.get(mapKey(before.id)) };
      return this.changeOf(rp, key) ?? [];
    });
    return changes.length > 0 ? this.store.stepsAfterChange(rp, changes) : [];
  }

  private changeOf(rp: RelyingParty, key: KeyToEvaluate): FindingChange | undefined {
    if (this.basis.of(rp)) return this.evaluation.changeOf(rp, key);
    // While metadata is missing, no rule can be judged. The evaluation that follows its arrival does the rest.
    const next = isReported(key) ? nextKeyState(key, key.finding) : undefined;
    return next && { key, ...next };
  }
}
