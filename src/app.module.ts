import { Module } from '@nestjs/common';
import type { DynamicModule } from '@nestjs/common';
import { ConfigModule } from '@nestjs/config';
import { AuditModule } from './audit/audit.module.js';
import { BillingModule } from './billing/billing.module.js';
import type { Clock } from './common/clock.js';
import { ClockModule } from './common/clock.module.js';
import { loaded } from './config/server-config.js';
import type { ServerOptions } from './config/server-options.js';
import { DatabaseModule } from './database/database.module.js';
import { FidoModule } from './fido/fido.module.js';
import { HealthModule } from './health/health.module.js';
import { LedgerModule } from './ledger/ledger.module.js';
import { PagesModule } from './pages/pages.module.js';
import { SecurityModule } from './security/security.module.js';
import { ApplicationKeysModule } from './tenancy/keys/keys.module.js';
import { TenancyModule } from './tenancy/tenancy.module.js';
import { TrustModule } from './trust/trust.module.js';
import { ModelsModule } from './trust/whitelist/whitelist.module.js';
import { UserPagesModule } from './user-admin/pages/user-pages.module.js';
import { UserAdminModule } from './user-admin/user-admin.module.js';

/** The composition root. The FIDO calls come first: Express asks its routes in order. */
@Module({})
export class AppModule {
  static with(options: ServerOptions, clock?: Clock): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.forRoot({
          isGlobal: true,
          cache: true,
          load: [loaded(options)],
          // Flags, environment and config file have been read; there is no other source.
          ignoreEnvFile: true,
          skipProcessEnv: true,
        }),
        ClockModule.with(clock),
        DatabaseModule,
        SecurityModule,
        FidoModule,
        AuditModule,
        LedgerModule,
        TenancyModule,
        ApplicationKeysModule,
        TrustModule,
        HealthModule,
        PagesModule,
        BillingModule,
        ModelsModule,
        UserPagesModule,
        UserAdminModule,
      ],
    };
  }
}
