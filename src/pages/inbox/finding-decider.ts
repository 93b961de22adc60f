import { Injectable } from '@nestjs/common';
import { IsIn, ValidateIf } from 'class-validator';
import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { atRelyingParty, type AuditFacts } from '../../audit/request-rows.js';
import type { AuditedCall } from '../../audit/audited.js';
import { seesTenant } from '../../platform/access/accounts/account.js';
import { Accounts } from '../../platform/access/accounts/accounts.js';
import { Clock } from '../../platform/common/clock.js';
import { ApiError } from '../../platform/errors/api-error.js';
import {
  IsOneText,
  IsReason,
  MayBeText,
  Reads,
  ReadsEmptyAsAbsent,
} from '../../platform/validation/decorators.js';
import { isPresent } from '../../platform/validation/field-validator.js';
import { IsMoment, isoOrEmpty, momentOf } from '../../platform/validation/values/moment.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import {
  FINDING_KINDS,
  type FindingKind,
} from '../../trust/findings/decisions/finding-decision.entity.js';
import {
  FindingDecisions,
  NOT_ACCEPTED,
  type DecisionColumns,
  type FindingName,
} from '../../trust/findings/decisions/finding-decisions.js';
import { credentialIdText } from '../../users/user-rows.js';
import { KeyCaseReader } from './key-cases.js';

const DECISIONS = ['assign', 'release', 'accept', 'reopen'] as const;
type Decision = (typeof DECISIONS)[number];

/** Demands the field for one decision; for others it may be absent. */
const requires = (decision: Decision) =>
  ValidateIf(
    (dto: { readonly action?: unknown }, value: unknown) =>
      dto.action === decision || isPresent(dto, value),
  );

/** A decision about a finding, in a call or a form. */
export class DecisionDto {
  @ApiProperty({ enum: FINDING_KINDS, example: 'rule' })
  @IsIn(FINDING_KINDS)
  kind!: FindingKind;

  @ApiProperty({
    example: 'status',
    description: 'credential ID of a copied key, AAGUID of a model, or name of a rule',
  })
  @IsOneText()
  subject!: string;

  @ApiProperty({
    enum: DECISIONS,
    example: 'accept',
    description:
      '`assign` names the account that takes care of the finding, `release` removes it; `accept` ' +
      'closes the finding until a time, `reopen` ends that',
  })
  @IsIn(DECISIONS)
  action!: Decision;

  @ApiPropertyOptional({ example: 'anna', description: 'account, for `assign`' })
  @MayBeText()
  assignee?: string;

  @ApiPropertyOptional({ example: 'replaced next week', description: 'required for `accept`' })
  @ReadsEmptyAsAbsent()
  @requires('accept')
  @IsReason()
  reason?: string;

  @ApiPropertyOptional({
    type: String,
    example: '2027-01-31',
    description: 'required for `accept`: a date, whose beginning (UTC) counts, or a time',
  })
  @ReadsEmptyAsAbsent()
  @requires('accept')
  @Reads(momentOf)
  @IsMoment()
  until?: number;
}

/** A decision about a finding that exists, and the facts of its audit row. */
export interface CheckedDecision {
  readonly rp: RelyingParty;
  readonly name: FindingName;
  readonly columns: Partial<DecisionColumns>;
  readonly facts: AuditFacts;
}

interface DecisionContext {
  readonly rp: RelyingParty;
  /** The account that decides. */
  readonly by: string;
  readonly alarm: Buffer | undefined;
}

/** Decides about findings on behalf of accounts: each decision with its audit row. */
@Injectable()
export class FindingDecider {
  constructor(
    private readonly cases: KeyCaseReader,
    private readonly decisions: FindingDecisions,
    private readonly accounts: Accounts,
    private readonly clock: Clock,
  ) {}

  /**
   * Checks a decision without storing it: one for several relying parties is stored only if all of them accept it.
   *
   * @throws ApiError E0044R if there is no such finding; E0045R if the account is unknown
   *   or does not see it, or the time is over
   */
  async check(
    rp: RelyingParty,
    dto: DecisionDto,
    { account, about }: Pick<AuditedCall, 'account' | 'about'>,
  ): Promise<CheckedDecision> {
    about(atRelyingParty(rp));
    const found = await this.find(rp, dto);
    if (!found) throw new ApiError('E0044R');
    const columns = await this.columnsOf(dto, { rp, by: account.name, alarm: found.alarm });
    const { kind, subject, action, reason, until } = dto;
    const detail = {
      decision: action,
      kind,
      ...(kind === 'copied' && { device: subject }),
      ...(action === 'assign' && { assignee: columns.assignedTo ?? '' }),
      ...(action === 'accept' && { reason: reason ?? '', expiresAt: isoOrEmpty(until) }),
    };
    const facts = { ...atRelyingParty(rp), target: found.target, detail };
    return { rp, name: found.name, columns, facts };
  }

  /** @throws ApiError E0052R if concurrent changes were faster each time */
  store(
    { rp, name, columns, facts }: CheckedDecision,
    { commit }: Pick<AuditedCall, 'commit'>,
  ): Promise<DecisionColumns> {
    return this.decisions.change(rp, name, columns, (steps) => commit(steps, facts));
  }

  private async find(
    rp: RelyingParty,
    { kind, subject }: DecisionDto,
  ): Promise<{ name: FindingName; target: string; alarm?: Buffer } | undefined> {
    const { copied, models, rules } = await this.cases.of([rp]);
    if (kind === 'copied') {
      const found = copied.find(({ key }) => key && credentialIdText(key) === subject);
      return found?.name && { name: found.name, target: found.username, alarm: found.alarm };
    }
    const found =
      kind === 'model'
        ? models.find(({ aaguid }) => aaguid === subject.toLowerCase())
        : rules.find(({ rule }) => rule === subject);
    return found?.name && { name: found.name, target: subject };
  }

  private async columnsOf(
    { action, assignee, reason, until }: DecisionDto,
    { rp, by, alarm }: DecisionContext,
  ): Promise<Partial<DecisionColumns>> {
    if (action === 'release') return { assignedTo: null };
    if (action === 'reopen') return NOT_ACCEPTED;
    if (action === 'assign')
      return { assignedTo: await this.accountOf(assignee ?? by, { rp, by }) };
    if (until === undefined || until <= this.clock.now()) {
      throw new ApiError('E0045R', 'applicationKey.past', { field: 'until' }, { field: 'until' });
    }
    return {
      acceptedBy: by,
      reason: reason?.trim() ?? '',
      acceptedUntil: until,
      knownAlarm: alarm ?? null,
    };
  }

  /**
   * The name of an account as it is written; an account of the OpenID provider can name itself.
   *
   * @throws ApiError E0045R, the same for an account that does not see the relying party as for an unknown one
   */
  private async accountOf(
    spelling: string,
    { rp, by }: Pick<DecisionContext, 'rp' | 'by'>,
  ): Promise<string> {
    const name = spelling.trim();
    if (name === by) return by;
    const known = await this.accounts.known(name);
    if (known && seesTenant(known.account, rp.tenant)) return known.account.name;
    throw new ApiError('E0045R', 'account.unknown', {}, { field: 'assignee' });
  }
}
