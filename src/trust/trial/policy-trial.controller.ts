import { Body, Post } from '@nestjs/common';
import { ok } from '../../platform/http/ok.js';
import { Operation } from '../../platform/http/openapi/operation.js';
import {
  CurrentParties,
  type CallParties,
  ScopedController,
} from '../../tenancy/scope/scope.interceptor.js';
import { MayNameRelyingParty } from '../../tenancy/tenancy.validators.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { AuthenticatorModels } from '../authenticator-models.js';
import { ApiProperty } from '../../platform/http/openapi/openapi.js';
import { IsPolicy, POLICY_SCHEMA, type RelyingPartyPolicy } from '../../tenancy/policy/policy.js';
import { PolicyTrialAnswer, triedUsers, triedView } from './policy-trial.answer.js';
import { PolicyTrial } from './policy-trial.js';

/** Body of POST /userapi/policy/try. */
class PolicyTrialDto {
  @MayNameRelyingParty()
  relyingParty?: string;

  @ApiProperty({ ...POLICY_SCHEMA, additionalProperties: false })
  @IsPolicy()
  policy!: RelyingPartyPolicy;
}

/** Predicts what a policy would do, before it applies. */
@ScopedController('userapi/policy', { audience: 'administrator', permission: 'users:read' })
export class PolicyTrialController {
  constructor(
    private readonly trial: PolicyTrial,
    private readonly models: AuthenticatorModels,
  ) {}

  @Post('try')
  @Operation('tryPolicy', 'Counts the keys and registrations that a policy would pass or refuse', {
    status: 200,
    answers: PolicyTrialAnswer,
    refuses: ['E0025R', 'E0026R', 'E0040R'],
    sends: { relyingParty: 'localhost', policy: { formats: ['packed'] } },
  })
  async try(
    @Body(DtoPipe) { relyingParty, policy }: PolicyTrialDto,
    @CurrentParties() parties: CallParties,
  ): Promise<PolicyTrialAnswer> {
    const rp = parties.named(relyingParty);
    const { keys, registrations, users, since, complete } = await this.trial.run(rp, policy);
    return ok({
      relyingParty: rp.domain,
      users: triedUsers(users),
      keys: triedView(keys, this.models),
      registrations: triedView(registrations, this.models),
      since: new Date(since).toISOString(),
      complete,
    });
  }
}
