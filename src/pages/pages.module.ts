import { Module } from '@nestjs/common';
import type { MiddlewareConsumer, NestModule } from '@nestjs/common';
import hbs from 'hbs';
import { BillingModule } from '../billing/billing.module.js';
import { money } from '../billing/invoice.helpers.js';
import { CredentialsModule } from '../credentials/credentials.module.js';
import { FidoModule } from '../fido/fido.module.js';
import { ApiDescription } from '../http/api-description.js';
import { languageHelpers } from '../presentation/languages/language.helpers.js';
import { utc } from '../presentation/utc.js';
import { visible } from '../presentation/visible.js';
import { HealthModule } from '../health/health.module.js';
import { LedgerModule } from '../ledger/ledger.module.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { FindingsModule } from '../trust/findings/findings.module.js';
import { TrustModule } from '../trust/trust.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { advice } from './advice.js';
import { ApplicationKeysPageController } from './application-keys/application-keys.controller.js';
import { Counts } from './dashboard/counts.js';
import { DashboardController } from './dashboard/dashboard.controller.js';
import { DashboardWarnings } from './dashboard/dashboard-warnings.js';
import { DashboardService } from './dashboard/dashboard.service.js';
import { DemoController } from './demo.controller.js';
import { DocsController } from './docs/docs.controller.js';
import { prose } from './docs/prose.js';
import { PeopleController } from './people/people.controller.js';
import { PeoplePages } from './people/people-page.js';
import { OperatorStatus } from './status/operator-status.js';
import { StatusController } from './status/status.controller.js';
import { StatusService } from './status/status.service.js';
import { PresetPages } from './tenants/preset-pages.js';
import { RelyingPartyController } from './tenants/relying-party.controller.js';
import { TenantPages } from './tenants/tenant-pages.js';
import { TrialPages } from './tenants/trial.view.js';
import { TenantsController } from './tenants/tenants.controller.js';
import { toLocalhost } from './to-localhost.js';
import { WebhookPages } from './webhooks/webhook-pages.js';
import { WebhookPagesController } from './webhooks/webhook-pages.controller.js';

/** The pages for people. Their templates, styles and scripts are in `views`. */
@Module({
  imports: [
    BillingModule,
    CredentialsModule,
    FidoModule,
    HealthModule,
    LedgerModule,
    TenancyModule,
    FindingsModule,
    TrustModule,
    WebhooksModule,
  ],
  controllers: [
    DashboardController,
    DemoController,
    DocsController,
    StatusController,
    PeopleController,
    ApplicationKeysPageController,
    TenantsController,
    // Before the pages of relying parties, whose paths match any other word.
    WebhookPagesController,
    RelyingPartyController,
  ],
  providers: [
    ApiDescription,
    Counts,
    DashboardService,
    DashboardWarnings,
    OperatorStatus,
    PeoplePages,
    PresetPages,
    StatusService,
    TenantPages,
    TrialPages,
    WebhookPages,
  ],
})
export class PagesModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    hbs.registerHelper('advice', advice);
    hbs.registerHelper('prose', prose);
    const helpers = { ...languageHelpers, money };
    for (const [name, helper] of Object.entries(helpers)) hbs.registerHelper(name, helper);
    hbs.registerHelper('utc', utc);
    hbs.registerHelper('visible', visible);
    consumer.apply(toLocalhost).forRoutes('demo', 'enrol', 'my-keys');
  }
}
