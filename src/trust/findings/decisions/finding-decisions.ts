import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, type Repository } from 'typeorm';
import { Clock } from '../../../platform/common/clock.js';
import { insertStep, mustChange, updateStep } from '../../../platform/database/commit/step-of.js';
import type { Step } from '../../../platform/database/commit/unit.js';
import { falseIfTaken } from '../../../platform/database/commit/unique-violation.js';
import { scope, type ScopeOwner } from '../../../platform/database/scope.js';
import { OVERTAKEN, untilStored } from '../../../platform/database/commit/until-stored.js';
import { FindingDecision, type FindingKind } from './finding-decision.entity.js';

/** A finding at a relying party, by the columns of `FindingDecision`. */
export interface FindingName {
  readonly kind: FindingKind;
  readonly subject: Buffer;
}

const UNDECIDED = {
  assignedTo: null,
  acceptedBy: null,
  reason: null,
  acceptedUntil: null,
  knownAlarm: null,
} as const;

export type DecisionColumns = Pick<FindingDecision, keyof typeof UNDECIDED>;

/** The columns without an acceptance. */
export const NOT_ACCEPTED = {
  acceptedBy: null,
  reason: null,
  acceptedUntil: null,
  knownAlarm: null,
} as const;

const keyOf = (relyingPartyId: Buffer, { kind, subject }: FindingName): string =>
  [relyingPartyId.toString('hex'), kind, subject.toString('hex')].join(' ');

/** What was decided about the findings of some relying parties. */
export class DecidedFindings {
  private readonly byName: ReadonlyMap<string, FindingDecision>;

  constructor(
    rows: readonly FindingDecision[],
    private readonly now: number,
  ) {
    this.byName = new Map(rows.map((row) => [keyOf(row.relyingPartyId, row), row]));
  }

  of(rp: Pick<ScopeOwner, 'id'>, name: FindingName): FindingDecision | undefined {
    return this.byName.get(keyOf(rp.id, name));
  }

  /**
   * Whether the finding is accepted at this moment. So an acceptance needs no job to end.
   *
   * @param alarm the ID of the latest alarm about a copied key
   */
  isAccepted(rp: Pick<ScopeOwner, 'id'>, name: FindingName, alarm?: Buffer): boolean {
    const { acceptedUntil = null, knownAlarm = null } = this.of(rp, name) ?? {};
    if (acceptedUntil === null || acceptedUntil <= this.now) return false;
    return !alarm || (knownAlarm !== null && Buffer.compare(alarm, knownAlarm) <= 0);
  }
}

/** Stores who takes care of a finding, and who accepts it until when. */
@Injectable()
export class FindingDecisions {
  constructor(
    @InjectRepository(FindingDecision) private readonly decisions: Repository<FindingDecision>,
    private readonly clock: Clock,
  ) {}

  async at(rps: readonly Pick<ScopeOwner, 'id'>[]): Promise<DecidedFindings> {
    const rows = await this.decisions.findBy({ relyingPartyId: In(rps.map(({ id }) => id)) });
    return new DecidedFindings(rows, this.clock.now());
  }

  /**
   * Changes some columns of a decision, and retries if somebody else changes it at the same time.
   *
   * @param commit stores the steps with the audit row; `false` if they stored nothing
   * @returns the decision after the change
   * @throws ApiError E0052R if concurrent changes were faster each time
   */
  async change(
    rp: ScopeOwner,
    name: FindingName,
    columns: Partial<DecisionColumns>,
    commit: (steps: readonly Step[]) => Promise<boolean>,
  ): Promise<DecisionColumns> {
    const named = { ...scope(rp), ...name };
    return untilStored('resource.changing', async () => {
      const known = await this.decisions.findOneBy(named);
      const step = known
        ? mustChange(updateStep(this.decisions, named, columns))
        : insertStep(this.decisions, { ...named, ...UNDECIDED, ...columns });
      const isStored = await falseIfTaken(commit([step]));
      return isStored ? { ...(known ?? UNDECIDED), ...columns } : OVERTAKEN;
    });
  }
}
