import { Controller, Get, Query } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { ok } from '../../platform/http/ok.js';
import { ForReader, Operation } from '../../platform/http/openapi/operation.js';
import { Allow, OpenToKeys } from '../../platform/access/allow.js';
import { NamedRelyingParty } from '../../tenancy/scope/named-relying-party.js';
import { CurrentScope, Scoped } from '../../tenancy/scope/scope.interceptor.js';
import type { AdminScope } from '../../tenancy/scope/scope.interceptor.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { aaguidText } from '../../webauthn/aaguid.js';
import { AuthenticatorModels } from '../authenticator-models.js';
import { FINDINGS } from './finding.statements.js';
import type { FindingRow } from './finding.statements.js';
import { FindingListAnswer } from './findings.answer.js';
import type { FindingView } from './findings.answer.js';
import { FindingsQuery } from './findings.query.js';

const FIRST = Buffer.alloc(16);

/** Lists keys whose registration would be refused today. */
@ForReader('administrator')
@Scoped()
@Allow('users:read')
@OpenToKeys()
@Controller('userapi/findings')
export class FindingsController {
  constructor(
    private readonly named: NamedRelyingParty,
    private readonly models: AuthenticatorModels,
    private readonly database: Database,
  ) {}

  @Get()
  @Operation('listFindings', 'Keys whose registration would not pass any more', {
    answers: FindingListAnswer,
    refuses: ['E0025R', 'E0026R'],
  })
  async list(
    @Query(DtoPipe) { relyingParty, cursor = FIRST, limit }: FindingsQuery,
    @CurrentScope() scope: AdminScope,
  ): Promise<FindingListAnswer> {
    const rp = this.named.find(relyingParty, scope);
    // One row more than the page shows whether there is a next page.
    const rows = await this.database.query(FINDINGS, {
      ...{ relyingPartyId: rp.id, tenantId: rp.tenantId, behind: cursor, limit: limit + 1 },
    });
    const page = rows.slice(0, limit);
    const next = rows.length > limit ? page.at(-1)?.id.toString('base64url') : undefined;
    return ok({
      relyingParty: rp.domain,
      findings: page.map((row) => this.viewOf(row)),
      next: next ?? null,
    });
  }

  private viewOf({ code, foundAt, ...row }: FindingRow): FindingView {
    const aaguid = aaguidText(row.aaguid);
    return {
      username: row.username.toString('utf8'),
      credentialId: row.credentialId.toString('base64url'),
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
