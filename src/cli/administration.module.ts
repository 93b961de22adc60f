import { Module, type DynamicModule } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import type { ServerOptions } from '../platform/config/server-config.js';
import { AccountsModule } from '../accounts/accounts.module.js';
import { foundation } from '../foundation.js';
import { EventsModule } from '../events/events.module.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';

/** The services for administering commands: without the calls and the pages, they start in two thirds of the time. */
@Module({})
export class AdministrationModule {
  static with(options: ServerOptions, { migrates } = { migrates: false }): DynamicModule {
    return {
      module: AdministrationModule,
      imports: [
        ...foundation(options, { migrates }),
        AuditModule,
        AccountsModule,
        EventsModule,
        TenancyModule,
        WebhooksModule,
      ],
    };
  }
}
