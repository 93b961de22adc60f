import { Body, Get, Param, Patch, Query } from '@nestjs/common';
import { Audited, CurrentCall, type AuditedCall } from '../audit/audited.js';
import { atRelyingParty } from '../audit/request-rows.js';
import { JsonGuard } from '../platform/http/body/request-body.js';
import { ok } from '../platform/http/ok.js';
import { IfMatch, type ExpectedTags } from '../platform/http/versions.js';
import { Operation } from '../platform/http/openapi/operation.js';
import {
  CurrentParties,
  type CallParties,
  ScopedController,
} from '../tenancy/scope/scope.interceptor.js';
import { DtoPipe } from '../platform/validation/dto.pipe.js';
import { MayNameRelyingParty } from '../tenancy/tenancy.validators.js';
import { dayText } from '../platform/validation/values/moment.js';
import { mapKey } from '../platform/database/row-ids.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { AdoptionReader } from './adoption-reader.js';
import { AdoptionAnswer } from './adoption.answer.js';
import {
  ChangeTargetDto,
  TargetAnswer,
  TargetsAnswer,
  type TargetOfParty,
} from './target/target.dto.js';
import type { AdoptionTarget } from './target/target.entity.js';
import { AdoptionTargets } from './target/targets.js';

class AdoptionQuery {
  @MayNameRelyingParty()
  relyingParty?: string;
}

/** Figures on the adoption of keys by a relying party's users. */
@ScopedController('userapi/adoption', {
  audience: 'administrator',
  permission: 'adoption:read',
  parameters: { domain: { example: 'localhost', description: 'domain of the relying party' } },
})
export class AdoptionController {
  constructor(
    private readonly reader: AdoptionReader,
    private readonly targets: AdoptionTargets,
  ) {}

  @Get()
  @Operation(
    'getAdoption',
    'Shows how many users have keys and use them, and the progress of a move',
    {
      answers: AdoptionAnswer,
      refuses: ['E0025R', 'E0026R'],
    },
  )
  async adoption(
    @Query(DtoPipe) query: AdoptionQuery,
    @CurrentParties() parties: CallParties,
  ): Promise<AdoptionAnswer> {
    const rp = parties.named(query.relyingParty);
    return ok(await this.reader.read(rp, await this.targets.find(rp)));
  }

  @Get('targets')
  @Operation('listAdoptionTargets', 'Lists the adoption targets of all relying parties', {
    answers: TargetsAnswer,
  })
  async listTargets(@CurrentParties() parties: CallParties): Promise<TargetsAnswer> {
    const targets = await this.targets.ofAll(parties.relyingParties);
    return ok({
      targets: parties.relyingParties.map((rp) => viewOf(rp, targets.get(mapKey(rp.id)))),
    });
  }

  @Get('targets/:domain')
  @Operation('readAdoptionTarget', 'Shows the adoption target of a relying party', {
    answers: TargetAnswer,
    versionOf: ({ target }) => target.version,
    refuses: ['E0025R', 'E0026R'],
  })
  async readTarget(
    @Param('domain') domain: string,
    @CurrentParties() parties: CallParties,
  ): Promise<TargetAnswer> {
    return this.targetOf(parties.named(domain));
  }

  @Patch('targets/:domain')
  @Audited('relying-party.change', { allow: 'tenants:change', guards: [JsonGuard] })
  @Operation('changeAdoptionTarget', 'Sets or removes the adoption target of a relying party', {
    answers: TargetAnswer,
    versionOf: ({ target }) => target.version,
    refuses: ['E0025R', 'E0026R', 'E0045R', 'E0053R'],
    sends: { share: 80, by: '2027-06-30', expectedUsers: 300 },
  })
  async changeTarget(
    @Param('domain') domain: string,
    @Body(DtoPipe) { share, by, expectedUsers }: ChangeTargetDto,
    @IfMatch() expected: ExpectedTags,
    @CurrentParties() parties: CallParties,
    @CurrentCall() call: AuditedCall,
  ): Promise<TargetAnswer> {
    const rp = parties.named(domain);
    call.about(atRelyingParty(rp));
    const isSet = share !== null && by !== undefined;
    const wanted = isSet ? { share, by: dayText(by), expectedUsers } : null;
    await this.targets.change(call, rp, wanted, expected);
    return this.targetOf(rp);
  }

  private async targetOf(rp: RelyingParty): Promise<TargetAnswer> {
    return ok({ target: viewOf(rp, await this.targets.find(rp)) });
  }
}

const viewOf = (
  { domain: relyingParty }: RelyingParty,
  target: AdoptionTarget | undefined,
): TargetOfParty => ({
  relyingParty,
  share: target?.share ?? null,
  by: target?.by ?? null,
  expectedUsers: target?.expectedUsers ?? null,
  version: target?.changedAt ?? 0,
});
