import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { Clock } from '../../platform/common/clock.js';
import { SET_KEY_STATE } from '../../users/credentials/key-state.statements.js';
import { keyStateSteps } from '../../users/credentials/key-state.js';
import { insertStep, mustChange, updateStep } from '../../platform/database/commit/step-of.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { falseIfTaken } from '../../platform/database/commit/unique-violation.js';
import { Database } from '../../platform/database/database.js';
import { scope } from '../../platform/database/scope.js';
import { ledgerStep, type LedgerEvent } from '../../events/ledger.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { DELETE_FINDINGS, INSERT_FINDINGS } from './finding.statements.js';
import {
  changedModels,
  EVERY_KEY,
  FIRST_POSITION,
  readTodo,
  basisDuringEvaluation,
  writeBasis,
  writeTodo,
  type EvaluationDigests,
  type EvaluationPlace,
} from './evaluation/evaluation-place.js';
import { EvaluationProgress } from './finding.entity.js';
import type { FindingChange, KeyToEvaluate } from './evaluation/key-evaluation.js';
import { StoredKeys } from './evaluation/stored-keys.js';

interface ProgressAfterPage {
  readonly basis: EvaluationDigests;
  /** Where the next slice begins; `undefined` after the last one. */
  readonly next: EvaluationPlace | undefined;
  /** Whether the slice was the last of the keys of single models, before all keys. */
  readonly modelsDone: boolean;
}

/** Stores findings about the keys of a relying party, and the progress of their evaluation. */
@Injectable()
export class FindingStore {
  constructor(
    private readonly database: Database,
    @InjectRepository(EvaluationProgress)
    private readonly progresses: Repository<EvaluationProgress>,
    readonly keys: StoredKeys,
    private readonly clock: Clock,
  ) {}

  /**
   * Where the evaluation continues. A new basis restarts it, with the keys that the change concerns.
   *
   * @returns `undefined` if nothing is left to do, `taken` if another instance was faster
   */
  async begin(
    rp: RelyingParty,
    basis: EvaluationDigests,
  ): Promise<EvaluationPlace | 'taken' | undefined> {
    const found = await this.progresses.findOneBy(scope(rp));
    if (found?.basisDigest.equals(basis.digest)) {
      const { remainingModels } = found;
      const todo = remainingModels === null ? [EVERY_KEY] : readTodo(remainingModels);
      return found.done ? undefined : { todo, position: found.position };
    }
    const completed = found?.completedBasis ?? null;
    const todo = changedModels(completed, basis);
    const isDone = todo.length === 0;
    const row = {
      ...scope(rp),
      basisDigest: basis.digest,
      position: FIRST_POSITION,
      done: isDone,
      completedBasis: isDone ? writeBasis(basis) : basisDuringEvaluation(completed, todo, basis),
      remainingModels: writeTodo(todo),
    };
    const step = found
      ? mustChange(
          updateStep(this.progresses, { ...scope(rp), basisDigest: found.basisDigest }, row),
        )
      : insertStep(this.progresses, row);
    if (!(await falseIfTaken(this.database.commit([step])))) return 'taken';
    return isDone ? undefined : { todo, position: FIRST_POSITION };
  }

  /**
   * Stores the findings of a slice of keys and the progress after it, in one unit.
   *
   * @returns `false`, and stores nothing, if a key was changed, another instance has stored the same finding, or the
   *   evaluation restarted in the meantime
   */
  storeSlice(
    rp: RelyingParty,
    { basis, next, modelsDone }: ProgressAfterPage,
    changes: readonly FindingChange[],
  ): Promise<boolean> {
    const progress = next
      ? {
          position: next.position,
          remainingModels: writeTodo(next.todo),
          ...(modelsDone && {
            completedBasis: basisDuringEvaluation(writeBasis(basis), next.todo, basis),
          }),
        }
      : { done: true, completedBasis: writeBasis(basis) };
    const ours = { ...scope(rp), basisDigest: basis.digest };
    const steps = [
      ...this.steps(rp, changes),
      mustChange(updateStep(this.progresses, ours, progress)),
    ];
    return falseIfTaken(this.database.commit(steps, { background: true }));
  }

  /**
   * The steps that store findings about keys that earlier steps of the same unit restore or change. If one of the keys
   * lacks a certificate, all keys are evaluated again after the next start.
   */
  stepsAfterChange(
    rp: RelyingParty,
    keys: readonly KeyToEvaluate[],
    changes: readonly FindingChange[],
  ): Step[] {
    const again = {
      done: false,
      position: FIRST_POSITION,
      completedBasis: null,
      remainingModels: writeTodo([EVERY_KEY]),
    };
    return [
      // The events of the earlier steps may have the current millisecond.
      ...this.steps(rp, changes, this.clock.now() + 1),
      ...(keys.some(({ lacksCertificate }) => lacksCertificate)
        ? [updateStep(this.progresses, scope(rp), again)]
        : []),
    ];
  }

  private steps(
    rp: RelyingParty,
    changes: readonly FindingChange[],
    at = this.clock.now(),
  ): Step[] {
    const ofFindings = changes.filter(({ isNewFinding }) => isNewFinding);
    const ended = ofFindings.filter(({ key }) => key.finding).map(({ key }) => key.id);
    const rows = ofFindings.flatMap(({ key: { id }, found }) =>
      found ? [{ id, rule: found.rule, code: found.code, action: found.action, foundAt: at }] : [],
    );
    const events = changes.flatMap((change) => eventsOf(rp, at, change));
    return [
      ...keyStateSteps(SET_KEY_STATE[this.database.kind], rp, changes),
      ...(ended.length > 0 ? [DELETE_FINDINGS.step({ ...scope(rp), ids: ended })] : []),
      ...(rows.length > 0 ? [INSERT_FINDINGS.step({ ...scope(rp), rows })] : []),
      ...(events.length > 0 ? [ledgerStep(...events)] : []),
    ];
  }
}

const eventsOf = (rp: RelyingParty, at: number, change: FindingChange): LedgerEvent[] => {
  const { key, found, events } = change;
  return events.map((kind) => {
    const current = kind === 'finding-closed' ? undefined : found;
    const { rule: detail, code } = current ?? key.finding ?? {};
    return {
      kind,
      at,
      relyingParty: rp,
      user: { id: key.userId, username: key.username },
      credentialHash: key.credentialHash,
      ...(detail !== undefined && { detail }),
      ...(code !== undefined && { code }),
    };
  });
};
