import { Get, Query } from '@nestjs/common';
import { ok } from '../../platform/http/ok.js';
import { Operation } from '../../platform/http/openapi/operation.js';
import {
  CurrentParties,
  type CallParties,
  ScopedController,
} from '../../tenancy/scope/scope.interceptor.js';
import { MayNameRelyingParty } from '../../tenancy/tenancy.validators.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { credentialIdText } from '../../users/user-rows.js';
import { aaguidText } from '../../webauthn/aaguid.js';
import { AuthenticatorModels } from '../authenticator-models.js';
import { ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import {
  ReadsEmptyAsAbsent,
  IsRowPosition,
  IsWithin,
  MayBeEmpty,
  Reads,
  ReadsNumber,
} from '../../platform/validation/decorators.js';
import { decodeBase64Url } from '../../webauthn/base64url.js';
import type { FindingRow } from './finding.statements.js';
import { FindingListAnswer, type FindingView } from './findings.answer.js';
import { KeyFindings } from './key-findings.js';

const MAX_LIMIT = 1000;

class FindingsQuery {
  @MayNameRelyingParty()
  relyingParty?: string;

  @ApiPropertyOptional({ type: String, description: '`next` from the previous page' })
  @MayBeEmpty()
  @Reads((text) => (text === '' ? undefined : decodeBase64Url(text)))
  @IsRowPosition()
  cursor?: Buffer;

  @ApiPropertyOptional({
    minimum: 1,
    maximum: MAX_LIMIT,
    description: 'maximum number of findings per page',
  })
  @ReadsEmptyAsAbsent()
  @ReadsNumber()
  @IsWithin(1, MAX_LIMIT)
  limit: number = 100;
}

/** Lists keys whose registration would be refused today. */
@ScopedController('userapi/findings', { audience: 'administrator', permission: 'users:read' })
export class FindingsController {
  constructor(
    private readonly models: AuthenticatorModels,
    private readonly findings: KeyFindings,
  ) {}

  @Get()
  @Operation(
    'listFindings',
    'Lists the findings: keys whose registration would no longer be accepted, or that users reported',
    {
      answers: FindingListAnswer,
      refuses: ['E0025R', 'E0026R'],
    },
  )
  async list(
    @Query(DtoPipe) { relyingParty, cursor, limit }: FindingsQuery,
    @CurrentParties() parties: CallParties,
  ): Promise<FindingListAnswer> {
    const rp = parties.named(relyingParty);
    const { rows, next = null } = await this.findings.page(rp, { after: cursor, limit });
    return ok({
      relyingParty: rp.domain,
      findings: rows.map((row) => this.viewOf(row)),
      next,
    });
  }

  private viewOf({ code, foundAt, ...row }: FindingRow): FindingView {
    const aaguid = aaguidText(row.aaguid);
    return {
      username: row.username.toString('utf8'),
      credentialId: credentialIdText(row),
      deviceName: row.deviceName,
      aaguid,
      authenticatorName: this.models.name(aaguid),
      rule: row.rule,
      errorCode: code,
      action: row.action,
      foundAt: new Date(foundAt).toISOString(),
      enabled: Boolean(row.enabled),
      acceptedBy: row.acceptedBy,
    };
  }
}
