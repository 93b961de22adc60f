import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, type Repository } from 'typeorm';
import type { ChangingCall } from '../../audit/audited.js';
import { differencesBetween } from '../../audit/differences.js';
import { Clock } from '../../platform/common/clock.js';
import {
  deleteStep,
  insertStep,
  mustChange,
  updateStep,
} from '../../platform/database/commit/step-of.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { scope } from '../../platform/database/scope.js';
import { mapKey } from '../../platform/database/row-ids.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { ensureExpected, type ExpectedTags } from '../../platform/http/versions.js';
import { dayText } from '../../platform/validation/values/moment.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { AdoptionTarget } from './target.entity.js';

export type TargetSetting = Pick<AdoptionTarget, 'share' | 'by' | 'expectedUsers'>;

/** What a change sets; without `expectedUsers`, their number stays as it is. */
type TargetChange = Pick<TargetSetting, 'share' | 'by'> & {
  readonly expectedUsers?: number | null | undefined;
};

/** The number of users that shares are of: who is expected, or who is stored if there are more. */
export const expectedUsersOf = (
  target: Pick<TargetSetting, 'expectedUsers'> | undefined,
  total: number,
): number => Math.max(target?.expectedUsers ?? 0, total);

@Injectable()
export class AdoptionTargets {
  constructor(
    @InjectRepository(AdoptionTarget) private readonly rows: Repository<AdoptionTarget>,
    private readonly clock: Clock,
  ) {}

  async find(rp: RelyingParty): Promise<AdoptionTarget | undefined> {
    return (await this.rows.findOneBy(scope(rp))) ?? undefined;
  }

  /** All targets, by the ID of their relying party (`mapKey`). */
  async ofAll(rps: readonly RelyingParty[]): Promise<ReadonlyMap<string, AdoptionTarget>> {
    const rows = await this.rows.findBy({ relyingPartyId: In(rps.map(({ id }) => id)) });
    return new Map(rows.map((row) => [mapKey(row.relyingPartyId), row]));
  }

  /**
   * Sets the target with its row in the audit trail.
   *
   * @param change `null` removes it
   * @throws ApiError E0045R for a day in the past; E0053R if none of the expected tags matches
   */
  async change(
    { commit }: Pick<ChangingCall, 'commit'>,
    rp: RelyingParty,
    change: TargetChange | null,
    expected: ExpectedTags,
  ): Promise<void> {
    if (change !== null && change.by < dayText(this.clock.now())) {
      throw new ApiError('E0045R', 'target.past', {}, { field: 'by' });
    }
    for (;;) {
      const found = await this.find(rp);
      ensureExpected(expected, found?.changedAt ?? 0);
      const after = change && withExpectedUsers(change, found);
      const detail = differencesBetween(
        { adoptionTarget: detailOf(found) },
        { adoptionTarget: detailOf(after) },
      );
      const isChange = found !== undefined || after !== null;
      const unit = isChange ? [this.step(rp, after, found?.changedAt)] : [];
      if (await commit(unit, { tenant: rp.tenant, detail })) return;
    }
  }

  /** @param version of the row to change; the step changes no other. `undefined` if there is no row */
  private step(rp: RelyingParty, after: TargetSetting | null, version: number | undefined): Step {
    const found = { ...scope(rp), changedAt: version ?? 0 };
    if (after === null) return mustChange(deleteStep(this.rows, found));
    const changed = { ...after, changedAt: Math.max(this.clock.now(), found.changedAt + 1) };
    return version === undefined
      ? insertStep(this.rows, { ...scope(rp), ...changed })
      : mustChange(updateStep(this.rows, found, changed));
  }
}

const withExpectedUsers = (
  change: TargetChange,
  found: TargetSetting | undefined,
): TargetSetting => {
  const { expectedUsers = found?.expectedUsers ?? null, ...rest } = change;
  return { ...rest, expectedUsers };
};

/** A target as the audit trail shows it. */
const detailOf = (target: TargetSetting | null | undefined) =>
  target
    ? {
        share: target.share,
        by: target.by,
        ...(target.expectedUsers !== null && { expectedUsers: target.expectedUsers }),
      }
    : null;
