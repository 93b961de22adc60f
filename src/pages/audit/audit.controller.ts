import { Controller, Get, Query } from '@nestjs/common';
import { CursorRefusedAnswer } from '../../platform/http/openapi/refusal.answer.js';
import { ok } from '../../platform/http/ok.js';
import { ForAudience, Operation } from '../../platform/http/openapi/operation.js';
import { ForPage, Represent } from '../../platform/pages/represent.js';
import { CurrentAccount, accountOf, type Account } from '../../platform/access/accounts/account.js';
import { Allow } from '../../platform/access/allow.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { AuditSealing } from '../../audit/chain/audit-sealing.js';
import { AuditQuery, auditParameters } from '../../audit/audit.dto.js';
import { AuditReader } from '../../audit/audit-reader.js';
import { ForwardAudit } from '../../audit/forward-audit.js';
import { ocsfOfRow } from '../../audit/audit.ocsf.js';
import { AuditAnswer, auditEntries } from '../../audit/audit.answer.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { TenancyService } from '../../tenancy/tenancy.service.js';
import { HeaderRp, Scoped } from '../../tenancy/scope/scope.interceptor.js';
import type { NameOfModel } from '../tenancy/policy-fields.js';
import { AuthenticatorModels } from '../../trust/authenticator-models.js';
import { AuditCounts } from './audit-counts.js';
import { auditCsv, auditPage, type AuditPageAnswer } from './audit.view.js';

/** Searches the audit trail by account, target, time and result. */
@ForAudience('auditor')
@Scoped('tenant')
@Allow('audit:read', { keys: true })
@Controller('userapi/audit')
export class AuditController {
  constructor(
    private readonly reader: AuditReader,
    private readonly counts: AuditCounts,
    private readonly forward: ForwardAudit,
    private readonly relyingParties: RelyingPartyCache,
    private readonly sealing: AuditSealing,
    private readonly models: AuthenticatorModels,
    private readonly tenancy: TenancyService,
  ) {}

  @Get()
  @Represent<AuditPageAnswer>({
    html: [
      'audit',
      (answer, request) => auditPage(answer, auditParameters(request.query), accountOf(request)),
    ],
    csv: ['audit', auditCsv],
  })
  @Operation('searchAudit', 'Searches the audit trail, newest rows first, or reads it forward', {
    answers: AuditAnswer,
    bodies: { E0045R: CursorRefusedAnswer },
  })
  async search(
    @CurrentAccount() account: Account,
    @Query(DtoPipe) query: AuditQuery,
    @HeaderRp() rp: RelyingParty | undefined,
    @ForPage() isPage: boolean,
  ): Promise<AuditPageAnswer> {
    const domains = rp ? [rp.domain] : this.domainsOf(account);
    const [{ rows, ...page }, matches] = await Promise.all([
      this.page(account, query, domains),
      isPage ? this.counts.of(account, query, domains) : undefined,
    ]);
    const nameOfModel: NameOfModel = (aaguid) => this.models.name(aaguid);
    const nameOfTenant = isPage ? await this.tenancy.nameOfTenant() : undefined;
    const sealedBy = await this.sealing.sealedBy();
    const entries = auditEntries(rows);
    const shown =
      query.format === 'ocsf' ? { entries: [], records: entries.map(ocsfOfRow) } : { entries };
    return ok({ ...shown, ...page, sealedBy, nameOfModel, nameOfTenant, matches });
  }

  private async page(account: Account, query: AuditQuery, domains: readonly string[] | undefined) {
    const { after, limit } = query;
    if (after !== undefined) return this.forward.after(account, { after, limit, domains });
    const { rows, next } = await this.reader.find(account, query, domains);
    return { rows, next: next === undefined ? null : String(next) };
  }

  /** The relying parties of a key that is limited to some; `undefined` for every other caller. */
  private domainsOf(account: Account): readonly string[] | undefined {
    if (!account.key?.relyingParties) return undefined;
    return this.relyingParties.visibleTo(account).map(({ domain }) => domain);
  }
}
