import { Module, type MiddlewareConsumer, type NestModule } from '@nestjs/common';
import hbs from 'hbs';
import { BillingModule } from '../billing/billing.module.js';
import { UsersModule } from '../users/users.module.js';
import { FidoModule } from '../fido/fido.module.js';
import { ApiDescription } from '../platform/http/openapi/api-description.js';
import { languageHelpers } from '../platform/pages/languages/language.helpers.js';
import { utc, visible } from '../platform/pages/visible-characters.js';
import { InvitationsModule } from '../invitations/invitations.module.js';
import { HealthModule } from '../health/health.module.js';
import { EventsModule } from '../events/events.module.js';
import { TenancyModule } from '../tenancy/tenancy.module.js';
import { TrustModule } from '../trust/trust.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { ApplicationKeysPageController } from './tenancy/application-keys/application-key-pages.controller.js';
import { UserFacingController } from './end-users/user-facing.controller.js';
import { HandoverController } from './tenancy/handover/handover.controller.js';
import { PresetPages } from './tenancy/drafts/presets.js';
import { RelyingPartyController } from './tenancy/relying-party.controller.js';
import { TenantPages } from './tenancy/tenant-pages.js';
import { DraftController } from './tenancy/drafts/draft.controller.js';
import { DraftForms } from './tenancy/drafts/draft-forms.js';
import { TenantsController } from './tenancy/tenants.controller.js';
import { WebhookPagesController } from './webhooks/webhook-pages.controller.js';
import { AuditCounts } from './audit/audit-counts.js';
import { AuditController } from './audit/audit.controller.js';
import { AuditPagesController } from './audit/audit-pages.controller.js';
import { LateForms } from './audit/late-forms.js';
import { advice, breakable, money, prose } from './page.helpers.js';
import { DashboardCounts } from './dashboard/dashboard-counts.js';
import { DashboardController } from './dashboard/dashboard.controller.js';
import { DemoController, redirectToLocalhost } from './demo.controller.js';
import { DashboardService } from './dashboard/dashboard.service.js';
import { DashboardTasks } from './dashboard/dashboard-tasks.js';
import { FirstSteps } from './dashboard/first-steps.js';
import { DocsController } from './docs/docs.controller.js';
import { FindingDecider } from './inbox/finding-decider.js';
import {
  FindingDecisionPageController,
  FindingDecisionsController,
} from './inbox/finding-decisions.controller.js';
import { InboxController } from './inbox/inbox.controller.js';
import { CopiedKeys } from './inbox/copied-keys.js';
import { RefusedModels } from './inbox/refused-models.js';
import { InboxService } from './inbox/inbox.service.js';
import { KeyCaseReader } from './inbox/key-cases.js';
import { StatusController } from './status/status.controller.js';
import { StatusService } from './status/status.service.js';
import { SearchController } from './search/search.controller.js';
import { WhoMayRegisterController } from './tenancy/registration/who-may-register.controller.js';
import { TenantFinder } from './search/tenant-finder.js';

/** The pages. Their templates, styles and scripts are in `views`. */
@Module({
  imports: [
    BillingModule,
    UsersModule,
    FidoModule,
    HealthModule,
    InvitationsModule,
    EventsModule,
    TenancyModule,
    TrustModule,
    WebhooksModule,
  ],
  controllers: [
    AuditController,
    AuditPagesController,
    DashboardController,
    FindingDecisionPageController,
    FindingDecisionsController,
    InboxController,
    DemoController,
    DocsController,
    StatusController,
    UserFacingController,
    ApplicationKeysPageController,
    TenantsController,
    RelyingPartyController,
    DraftController,
    HandoverController,
    WhoMayRegisterController,
    WebhookPagesController,
    SearchController,
  ],
  providers: [
    AuditCounts,
    TenantFinder,
    ApiDescription,
    DashboardCounts,
    CopiedKeys,
    RefusedModels,
    FindingDecider,
    InboxService,
    KeyCaseReader,
    DashboardService,
    DashboardTasks,
    FirstSteps,
    LateForms,
    PresetPages,
    StatusService,
    TenantPages,
    DraftForms,
  ],
  exports: [LateForms],
})
export class PagesModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    const helpers = { ...languageHelpers, advice, breakable, money, prose, utc, visible };
    for (const [name, helper] of Object.entries(helpers)) hbs.registerHelper(name, helper);
    consumer.apply(redirectToLocalhost).forRoutes('demo', 'enrol', 'my-keys');
  }
}
