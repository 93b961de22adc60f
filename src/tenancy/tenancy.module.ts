import { Global, Module } from '@nestjs/common';
import { APP_INTERCEPTOR } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApplicationKeyAccounts } from '../platform/access/accounts/application-key-accounts.js';
import { ApplicationKey } from './keys/application-key.entity.js';
import { ApplicationKeysController } from './keys/application-keys.controller.js';
import { ApplicationKeys } from './keys/application-keys.js';
import { DatabaseApplicationKeyAccounts } from './keys/database-application-key-accounts.js';
import { RelyingPartyEntity } from './relying-party.entity.js';
import { TenancyController } from './tenancy.controller.js';
import { TenancyRows } from './tenancy-rows.js';
import { RelyingPartyFinder } from './scope/relying-party-finder.js';
import { TenancyService } from './tenancy.service.js';
import { RelyingPartyCache } from './scope/relying-party-cache.js';
import { ScopeInterceptor } from './scope/scope.interceptor.js';
import { TenantRemoval } from './changes/tenant-removal.js';
import { Tenant } from './tenant.entity.js';
import { FoldingJob } from './usernames/folded-names.js';
import { RegisteredNames } from './usernames/registered-names.js';
import { WellKnownController } from './well-known/well-known.controller.js';

/** Tenants, relying parties and application keys. Global, because the guards of every module look up secrets. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature([ApplicationKey, Tenant, RelyingPartyEntity])],
  controllers: [ApplicationKeysController, TenancyController, WellKnownController],
  providers: [
    { provide: APP_INTERCEPTOR, useClass: ScopeInterceptor },
    ApplicationKeys,
    { provide: ApplicationKeyAccounts, useClass: DatabaseApplicationKeyAccounts },
    TenancyService,
    TenancyRows,
    RelyingPartyFinder,
    RelyingPartyCache,
    TenantRemoval,
    FoldingJob,
    RegisteredNames,
  ],
  exports: [
    ApplicationKeyAccounts,
    ApplicationKeys,
    TenancyRows,
    TenancyService,
    RegisteredNames,
    RelyingPartyFinder,
    RelyingPartyCache,
  ],
})
export class TenancyModule {}
