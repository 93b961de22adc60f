import {
  Body,
  Controller,
  Delete,
  Get,
  Param,
  Patch,
  Post,
  Query,
  UseGuards,
} from '@nestjs/common';
import { ForAudience, Operation } from '../platform/http/openapi/operation.js';
import { Audited, CurrentCall, type AuditedCall } from '../audit/audited.js';
import { ok } from '../platform/http/ok.js';
import { IfMatch, type ExpectedTags } from '../platform/http/versions.js';
import { JsonGuard } from '../platform/http/body/request-body.js';
import { CurrentAccount, seesTenant, type Account } from '../platform/access/accounts/account.js';
import { Allow, AllowHere } from '../platform/access/allow.js';
import { ensureMay } from '../platform/access/permissions.js';
import { DtoPipe } from '../platform/validation/dto.pipe.js';
import { sentenceOf, type Problem } from '../platform/errors/reasons.js';
import {
  ChangeRefusedAnswer,
  RelyingPartyAnswer,
  RelyingPartyListAnswer,
  RelyingPartyRemovedAnswer,
  TenantAnswer,
  TenantListAnswer,
  TenantRemovedAnswer,
} from './tenancy.answer.js';
import {
  ChangeQuery,
  ChangeRelyingPartyDto,
  ChangeTenantDto,
  CreateRelyingPartyDto,
  CreateTenantDto,
  domainIn,
  type RelyingPartyAddress,
} from './tenancy.dto.js';
import type { RelyingPartyEntity } from './relying-party.entity.js';
import { confirmedAppsOf } from './scope/app-origins.js';
import { normalizedWarnings } from './origin-warnings.js';
import { TenancyService } from './tenancy.service.js';
import type { Tenant } from './tenant.entity.js';
import { VisibleTenantGuard } from './scope/visible-tenants.js';

const TENANT = { example: 'acme', description: 'short name of the tenant' };
const DOMAIN = { example: 'example.com', description: 'domain of the relying party' };

const tenantView = ({ name, displayName, changedAt, createdAt }: Tenant) => ({
  tenant: name,
  displayName,
  version: changedAt,
  createdAt: new Date(createdAt).toISOString(),
});

function relyingPartyView(rp: RelyingPartyEntity, found: readonly Problem[]) {
  const warnings = found.map(sentenceOf);
  return {
    domain: rp.domain,
    name: rp.name,
    origins: rp.origins,
    policy: rp.policy,
    enrolmentUrl: rp.enrolmentUrl,
    colour: rp.colour,
    ...rp.wellKnown,
    confirmedApps: confirmedAppsOf(rp),
    predecessor: rp.predecessor,
    ...(warnings.length > 0 && { warnings }),
    version: rp.changedAt,
    createdAt: new Date(rp.createdAt).toISOString(),
  };
}

/** Tenants and relying parties, for administrators. */
@ForAudience('administrator', { domain: DOMAIN, tenant: TENANT })
@UseGuards(JsonGuard, VisibleTenantGuard)
@Allow('tenants:change')
@Controller('tenantapi/tenants')
export class TenancyController {
  constructor(private readonly tenancy: TenancyService) {}

  @Get()
  @AllowHere('tenants:read')
  @Operation('listTenants', 'Lists tenants', { answers: TenantListAnswer })
  async listTenants(@CurrentAccount() account: Account) {
    const tenants = await this.tenancy.listTenants();
    const visible = tenants.filter(({ name }) => seesTenant(account, name));
    return ok({ tenants: visible.map(tenantView) });
  }

  @Post()
  @Audited(({ body }) => ({ action: 'tenant.create', tenant: body?.tenant }), { allTenants: true })
  @Operation('createTenant', 'Creates a tenant', {
    answers: TenantAnswer,
    versionOf: ({ version }) => version,
  })
  async addTenant(@Body(DtoPipe) dto: CreateTenantDto, @CurrentCall() call: AuditedCall) {
    return ok(tenantView(await this.tenancy.addTenant(call, dto)));
  }

  @Get(':tenant')
  @AllowHere('tenants:read')
  @Operation('readTenant', 'Shows a tenant', {
    answers: TenantAnswer,
    versionOf: ({ version }) => version,
    refuses: ['E0044R'],
  })
  async readTenant(@Param('tenant') tenant: string) {
    return ok(tenantView(await this.tenancy.tenant(tenant)));
  }

  @Patch(':tenant')
  @Audited('tenant.change')
  @Operation('changeTenant', 'Changes the display name of a tenant', {
    answers: TenantAnswer,
    versionOf: ({ version }) => version,
    refuses: ['E0044R', 'E0053R'],
  })
  async changeTenant(
    @Param('tenant') tenant: string,
    @Body(DtoPipe) dto: ChangeTenantDto,
    @IfMatch() expected: ExpectedTags,
    @CurrentCall() call: AuditedCall,
  ) {
    return ok(tenantView(await this.tenancy.changeTenant(call, tenant, dto.displayName, expected)));
  }

  @Delete(':tenant')
  @Audited('tenant.remove', { allTenants: true })
  @Operation('removeTenant', 'Deletes a tenant with all its data', {
    answers: TenantRemovedAnswer,
    refuses: ['E0044R', 'E0053R'],
  })
  async removeTenant(
    @Param('tenant') tenant: string,
    @IfMatch() expected: ExpectedTags,
    @CurrentCall() call: AuditedCall,
  ) {
    await this.tenancy.removeTenant(call, tenant, expected);
    return ok({ tenant, removed: true as const });
  }

  @Get(':tenant/relying-parties')
  @AllowHere('tenants:read')
  @Operation('listRelyingParties', 'Lists the relying parties of a tenant', {
    answers: RelyingPartyListAnswer,
    refuses: ['E0044R'],
  })
  async listRelyingParties(@CurrentAccount() account: Account, @Param('tenant') tenant: string) {
    const found = await this.tenancy.listRelyingParties(tenant);
    const views = found.map((rp) => this.view(account, tenant, rp));
    return ok({ tenant, relyingParties: await Promise.all(views) });
  }

  @Post(':tenant/relying-parties')
  @Audited(({ body }) => ({ action: 'relying-party.create', relyingParty: domainIn(body?.domain) }))
  @Operation('createRelyingParty', 'Creates a relying party', {
    answers: RelyingPartyAnswer,
    versionOf: ({ version }) => version,
    refuses: ['E0044R', 'E0045R'],
  })
  async addRelyingParty(
    @Param('tenant') tenant: string,
    @Body(DtoPipe) dto: CreateRelyingPartyDto,
    @CurrentCall() call: AuditedCall,
  ) {
    const added = await this.tenancy.addRelyingParty(call, tenant, dto);
    return ok({ tenant, ...(await this.view(call.account, tenant, added, dto)) });
  }

  @Get(':tenant/relying-parties/:domain')
  @AllowHere('tenants:read')
  @Operation('readRelyingParty', 'Shows a relying party of a tenant', {
    answers: RelyingPartyAnswer,
    versionOf: ({ version }) => version,
    refuses: ['E0044R'],
  })
  async readRelyingParty(
    @CurrentAccount() account: Account,
    @Param() { tenant, domain }: RelyingPartyAddress,
  ) {
    const found = await this.tenancy.relyingParty(tenant, domain);
    return ok({ tenant, ...(await this.view(account, tenant, found)) });
  }

  @Patch(':tenant/relying-parties/:domain')
  @Audited(
    ({ query }) => (query['dryRun'] === 'yes' ? undefined : { action: 'relying-party.change' }),
    { allow: ['tenants:change', 'policies:change'], keys: true },
  )
  @Operation('changeRelyingParty', 'Changes the name, origins or policy of a relying party', {
    takesDryRun: true,
    answers: RelyingPartyAnswer,
    versionOf: ({ version }) => version,
    refuses: ['E0044R', 'E0045R', 'E0053R'],
    bodies: { E0045R: ChangeRefusedAnswer },
    sends: { policy: { userVerification: 'preferred' } },
  })
  async changeRelyingParty(
    @Param() { tenant, domain }: RelyingPartyAddress,
    @Query(DtoPipe) { dryRun }: ChangeQuery,
    @Body(DtoPipe) dto: ChangeRelyingPartyDto,
    @IfMatch() expected: ExpectedTags,
    @CurrentCall() call: AuditedCall,
  ) {
    const { account } = call;
    const { policy, ...others } = dto;
    if (policy === undefined || Object.values(others).some((value) => value !== undefined)) {
      ensureMay(account, 'tenants:change');
    }
    if (dryRun === 'yes') {
      const { after, move } = await this.tenancy.tryChange(
        account,
        { tenant, domain },
        dto,
        expected,
      );
      const view = await this.view(account, tenant, after, dto);
      return ok({ tenant, ...view, dryRun: true as const, ...(move && { move }) });
    }
    const { after } = await this.tenancy.changeRelyingParty(call, tenant, domain, dto, expected);
    return ok({ tenant, ...(await this.view(account, tenant, after, dto)) });
  }

  @Delete(':tenant/relying-parties/:domain')
  @Audited('relying-party.remove')
  @Operation('removeRelyingParty', 'Deletes a relying party with its users and keys', {
    answers: RelyingPartyRemovedAnswer,
    refuses: ['E0044R', 'E0045R', 'E0053R'],
  })
  async removeRelyingParty(
    @Param('tenant') tenant: string,
    @Param('domain') domain: string,
    @IfMatch() expected: ExpectedTags,
    @CurrentCall() call: AuditedCall,
  ) {
    await this.tenancy.removeRelyingParty(call, tenant, domain, expected);
    return ok({ tenant, domain, removed: true as const });
  }

  private async view(
    account: Account,
    tenant: string,
    rp: RelyingPartyEntity,
    sent: ChangeRelyingPartyDto = {},
  ) {
    const warnings = await this.tenancy.warningsAbout(account, tenant, rp);
    return relyingPartyView(rp, [...normalizedWarnings(sent), ...warnings]);
  }
}
