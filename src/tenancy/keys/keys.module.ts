import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ApplicationKeyAccounts } from '../../platform/access/caller.guard.js';
import { TenancyModule } from '../tenancy.module.js';
import { ApplicationKey } from './application-key.entity.js';
import { ApplicationKeysController } from './application-keys.controller.js';
import { ApplicationKeys } from './application-keys.js';
import { DatabaseApplicationKeyAccounts } from './database-application-key-accounts.js';

/** Application keys. Global, because the guards of every module look up secrets. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature([ApplicationKey]), TenancyModule],
  controllers: [ApplicationKeysController],
  providers: [
    ApplicationKeys,
    { provide: ApplicationKeyAccounts, useClass: DatabaseApplicationKeyAccounts },
  ],
  exports: [ApplicationKeys, ApplicationKeyAccounts],
})
export class ApplicationKeysModule {}
