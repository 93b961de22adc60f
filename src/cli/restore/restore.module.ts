import { Module, type DynamicModule } from '@nestjs/common';
import { BillingModule } from '../../billing/billing.module.js';
import type { ServerOptions } from '../../platform/config/server-config.js';
import { AdministrationModule } from '../administration.module.js';

/** The data that a restore changes: application keys, sessions, tickets, invitations and the series of documents. */
@Module({})
export class RestoreModule {
  /** @param migrates whether it migrates a backup of an earlier version */
  static with(options: ServerOptions, migrates: boolean): DynamicModule {
    return {
      module: RestoreModule,
      imports: [AdministrationModule.with(options, { migrates }), BillingModule],
    };
  }
}
