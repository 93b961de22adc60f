import { Controller, Get, Query } from '@nestjs/common';
import { ok } from '../../platform/http/ok.js';
import { ForAudience, Operation } from '../../platform/http/openapi/operation.js';
import { Represent } from '../../platform/pages/represent.js';
import { CurrentAccount, accountOf, type Account } from '../../platform/access/accounts/account.js';
import { Allow } from '../../platform/access/allow.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { AuditSealing } from '../../audit/chain/audit-sealing.js';
import { AuditQuery, auditParameters } from '../../audit/audit-query.js';
import { AuditReader } from '../../audit/audit-reader.js';
import { AuditAnswer, auditEntries } from '../../audit/audit.answer.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { HeaderRp, Scoped } from '../../tenancy/scope/scope.interceptor.js';
import type { NameOfModel } from '../tenancy/policy-fields.js';
import { AuthenticatorModels } from '../../trust/authenticator-models.js';
import { auditCsv, auditPage, type AuditPageAnswer } from './audit.view.js';

/** Searches the audit trail by account, target, time and result. */
@ForAudience('auditor')
@Scoped('tenant')
@Allow('audit:read')
@Controller('userapi/audit')
export class AuditController {
  constructor(
    private readonly reader: AuditReader,
    private readonly sealing: AuditSealing,
    private readonly models: AuthenticatorModels,
  ) {}

  @Get()
  @Represent<AuditPageAnswer>({
    html: [
      'audit',
      (answer, request) => auditPage(answer, auditParameters(request.query), accountOf(request)),
    ],
    csv: ['audit', auditCsv],
  })
  @Operation('searchAudit', 'Searches the audit trail, newest rows first', { answers: AuditAnswer })
  async search(
    @CurrentAccount() account: Account,
    @Query(DtoPipe) query: AuditQuery,
    @HeaderRp() rp: RelyingParty | undefined,
  ): Promise<AuditPageAnswer> {
    const page = await this.reader.find(account, query, rp?.domain);
    const nameOfModel: NameOfModel = (aaguid) => this.models.name(aaguid);
    return ok({ ...auditEntries(page), sealedBy: await this.sealing.sealedBy(), nameOfModel });
  }
}
