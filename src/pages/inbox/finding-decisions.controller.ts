import { Body, Post } from '@nestjs/common';
import { Audited, CurrentCall, type AuditedCall } from '../../audit/audited.js';
import { JsonGuard } from '../../platform/http/body/request-body.js';
import { ok, OkAnswer } from '../../platform/http/ok.js';
import { ApiProperty } from '../../platform/http/openapi/openapi.js';
import { Operation } from '../../platform/http/openapi/operation.js';
import {
  LeadsToPage,
  successBanner,
  type RedirectWithBanner,
} from '../../platform/pages/banners.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { PageController } from '../../platform/pages/page.interceptor.js';
import { Fits } from '../../platform/validation/field-validator.js';
import { problem } from '../../platform/errors/reasons.js';
import { MayBeEmpty, ReadsTicks, isOneText } from '../../platform/validation/decorators.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { IsTimeZone, isoOrNull, startOfDayIn } from '../../platform/validation/values/moment.js';
import {
  CurrentParties,
  type CallParties,
  ScopedController,
} from '../../tenancy/scope/scope.interceptor.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { MayNameRelyingParty } from '../../tenancy/tenancy.validators.js';
import { ApiError } from '../../platform/errors/api-error.js';
import {
  FINDING_KINDS,
  type FindingKind,
} from '../../trust/findings/decisions/finding-decision.entity.js';
import { DecisionDto, FindingDecider, type CheckedDecision } from './finding-decider.js';

/** Body of POST /userapi/findings/decision. */
class FindingDecisionDto extends DecisionDto {
  @MayNameRelyingParty()
  relyingParty?: string;
}

const areDomains = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every(isOneText);

/** The form of the page, for a finding at one or several relying parties. */
class FindingDecisionForm extends DecisionDto {
  @ReadsTicks()
  @Fits(areDomains, (field) => problem('field.texts', { field }))
  rp!: readonly string[];

  /** The time zone of the date `until`; UTC if absent. */
  @MayBeEmpty()
  @IsTimeZone()
  zone?: string;
}

class FindingDecisionAnswer extends OkAnswer {
  @ApiProperty({ example: 'localhost', description: 'domain of the relying party' })
  readonly relyingParty!: string;

  @ApiProperty({ enum: FINDING_KINDS })
  readonly kind!: FindingKind;

  @ApiProperty({ example: 'status' })
  readonly subject!: string;

  @ApiProperty({ type: String, nullable: true, example: 'anna', description: 'account' })
  readonly assignedTo!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'anna', description: 'account' })
  readonly acceptedBy!: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'replaced next week' })
  readonly reason!: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  readonly acceptedUntil!: string | null;
}

@ScopedController('userapi/findings/decision', {
  audience: 'help desk',
  permission: 'keys:change',
})
export class FindingDecisionsController {
  constructor(private readonly decider: FindingDecider) {}

  @Post()
  @Audited(
    ({ body }) => ({
      action: 'finding.decide',
      relyingParty: body?.relyingParty,
      target: body?.subject,
    }),
    { guards: [JsonGuard] },
  )
  @Operation('decideFinding', 'Assigns a finding to an account, or accepts it for a time', {
    status: 200,
    description:
      'An accepted finding is open again once the time is over, or when the counter of a copied ' +
      'key goes back again.',
    answers: FindingDecisionAnswer,
    refuses: ['E0025R', 'E0044R', 'E0045R', 'E0052R'],
    sends: {
      kind: 'rule',
      subject: 'status',
      action: 'accept',
      reason: 'replaced next week',
      until: '2027-01-31',
    },
  })
  async decide(
    @Body(DtoPipe) { relyingParty, ...dto }: FindingDecisionDto,
    @CurrentParties() parties: CallParties,
    @CurrentCall() call: AuditedCall,
  ): Promise<FindingDecisionAnswer> {
    const rp = parties.named(relyingParty);
    const { kind, subject } = dto;
    const checked = await this.decider.check(rp, dto, call);
    const decided = await this.decider.store(checked, call);
    const { assignedTo, acceptedBy, reason, acceptedUntil } = decided;
    return ok({
      relyingParty: rp.domain,
      kind,
      subject,
      assignedTo,
      acceptedBy,
      reason,
      acceptedUntil: isoOrNull(acceptedUntil),
    });
  }
}

/** The form of the inbox. */
@PageController('findings/decision', 'keys:change')
export class FindingDecisionPageController {
  constructor(
    private readonly decider: FindingDecider,
    private readonly relyingParties: RelyingPartyCache,
  ) {}

  @Post()
  @LeadsToPage()
  @Audited(({ body }) => ({ action: 'finding.decide', target: body?.subject }))
  async decide(
    @Body(DtoPipe) { rp: domains, zone, until, ...dto }: FindingDecisionForm,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    const decision = { ...dto, ...(until !== undefined && { until: startOfDayIn(until, zone) }) };
    // A check reads all findings of its relying party, so each is checked once.
    const rps = [...new Set(domains)].map((domain) =>
      this.relyingParties.findVisible(call.account, domain),
    );
    if (!rps.every((rp) => rp !== undefined)) throw new ApiError('E0044R', 'relyingParty.choose');
    const checked: CheckedDecision[] = [];
    for (const rp of rps) checked.push(await this.decider.check(rp, decision, call));
    for (const one of checked) await this.decider.store(one, call);
    return { url: '/findings', banner: successBanner(phrase(`inbox:decide.done.${dto.action}`)) };
  }
}
