import { Module, type DynamicModule } from '@nestjs/common';
import { BillingModule } from '../../billing/billing.module.js';
import type { ServerOptions } from '../../platform/config/server-options.js';
import { AdministrationModule } from '../administration.module.js';

/** What a restore changes: application keys, sessions, tickets, invitations and the series of documents. */
@Module({})
export class RestoreModule {
  /** @param migrates whether it brings a backup of an earlier version up to date */
  static with(options: ServerOptions, migrates: boolean): DynamicModule {
    return {
      module: RestoreModule,
      imports: [AdministrationModule.with(options, { migrates }), BillingModule],
    };
  }
}
