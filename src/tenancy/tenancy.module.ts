import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { FirstStart } from './first-start.js';
import { OwnTenants } from './scope/own-tenants.js';
import { RelyingPartyEntity } from './relying-party.entity.js';
import { TenancyController } from './tenancy.controller.js';
import { TenancyRows } from './tenancy-rows.js';
import { RelyingPartyFinder } from './scope/relying-party-finder.js';
import { TenancyService } from './tenancy.service.js';
import { RelyingPartyCache } from './scope/relying-party-cache.js';
import { TenantRemoval } from './changes/tenant-removal.js';
import { Tenant } from './tenant.entity.js';
import { FoldingJob } from './usernames/folding-job.js';
import { RegisteredNames } from './usernames/registered-names.js';
import { WellKnownController } from './well-known/well-known.controller.js';

@Module({
  imports: [TypeOrmModule.forFeature([Tenant, RelyingPartyEntity])],
  controllers: [TenancyController, WellKnownController],
  providers: [
    TenancyService,
    TenancyRows,
    OwnTenants,
    RelyingPartyFinder,
    RelyingPartyCache,
    TenantRemoval,
    FirstStart,
    FoldingJob,
    RegisteredNames,
  ],
  exports: [TenancyService, OwnTenants, RegisteredNames, RelyingPartyFinder, RelyingPartyCache],
})
export class TenancyModule {}
