import { Body, Controller, Delete, Get, Param, Patch, Post, UseGuards } from '@nestjs/common';
import { ApiBasicAuth, ApiTags } from '@nestjs/swagger';
import { OK } from '../http/ok.js';
import { JsonGuard } from '../http/json-body.js';
import { BasicAuthGuard } from '../security/basic-auth.guard.js';
import { CrossSiteGuard } from '../security/cross-site.guard.js';
import {
  ChangeRelyingPartyDto,
  ChangeTenantDto,
  CreateRelyingPartyDto,
  CreateTenantDto,
} from './tenancy.dto.js';
import type { RelyingPartyEntity } from './relying-party.entity.js';
import { TenancyService } from './tenancy.service.js';
import type { Tenant } from './tenant.entity.js';

const tenantView = ({ name, displayName, createdAt }: Tenant) => ({
  tenant: name,
  displayName,
  createdAt: new Date(createdAt).toISOString(),
});

const relyingPartyView = (rp: RelyingPartyEntity) => ({
  domain: rp.domain,
  name: rp.name,
  origins: rp.origins,
  policy: rp.policy,
  createdAt: new Date(rp.createdAt).toISOString(),
});

/** Tenants and relying parties, for administrators. */
@ApiTags('tenants')
@ApiBasicAuth()
@UseGuards(BasicAuthGuard, CrossSiteGuard, JsonGuard)
@Controller('tenantapi/tenants')
export class TenancyController {
  constructor(private readonly tenancy: TenancyService) {}

  @Get()
  async listTenants() {
    return { ...OK, tenants: (await this.tenancy.listTenants()).map(tenantView) };
  }

  @Post()
  async addTenant(@Body() dto: CreateTenantDto) {
    return { ...OK, ...tenantView(await this.tenancy.addTenant(dto)) };
  }

  @Patch(':tenant')
  async changeTenant(@Param('tenant') tenant: string, @Body() dto: ChangeTenantDto) {
    return { ...OK, ...tenantView(await this.tenancy.changeTenant(tenant, dto.displayName)) };
  }

  @Delete(':tenant')
  async removeTenant(@Param('tenant') tenant: string) {
    await this.tenancy.removeTenant(tenant);
    return { ...OK, tenant, removed: true };
  }

  @Get(':tenant/relying-parties')
  async listRelyingParties(@Param('tenant') tenant: string) {
    const found = await this.tenancy.listRelyingParties(tenant);
    return { ...OK, tenant, relyingParties: found.map(relyingPartyView) };
  }

  @Post(':tenant/relying-parties')
  async addRelyingParty(@Param('tenant') tenant: string, @Body() dto: CreateRelyingPartyDto) {
    return { ...OK, tenant, ...relyingPartyView(await this.tenancy.addRelyingParty(tenant, dto)) };
  }

  @Patch(':tenant/relying-parties/:domain')
  async changeRelyingParty(
    @Param('tenant') tenant: string,
    @Param('domain') domain: string,
    @Body() dto: ChangeRelyingPartyDto,
  ) {
    const changed = await this.tenancy.changeRelyingParty(tenant, domain, dto);
    return { ...OK, tenant, ...relyingPartyView(changed) };
  }

  @Delete(':tenant/relying-parties/:domain')
  async removeRelyingParty(@Param('tenant') tenant: string, @Param('domain') domain: string) {
    await this.tenancy.removeRelyingParty(tenant, domain);
    return { ...OK, tenant, domain, removed: true };
  }
}
