import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { AdoptionModule } from './adoption/adoption.module.js';
import { sealNewTrail } from './audit/chain/new-trail.js';
import { AuditModule } from './audit/audit.module.js';
import { BillingModule } from './billing/billing.module.js';
import { Clock } from './platform/common/clock.js';
import type { ServerOptions } from './platform/config/server-config.js';
import { AccountsModule } from './accounts/accounts.module.js';
import { ErrorFilter } from './error.filter.js';
import { FidoModule } from './fido/fido.module.js';
import { foundation, type Composition } from './foundation.js';
import { requireDatabaseKeys } from './required-keys.js';
import { HealthModule } from './health/health.module.js';
import { InvitationsModule } from './invitations/invitations.module.js';
import { EventsModule } from './events/events.module.js';
import { EventNumbering } from './events/numbering/event-numbering.js';
import { PagesModule } from './pages/pages.module.js';
import { BasicStrategy } from './platform/access/basic/basic-auth.js';
import { FirstStart } from './tenancy/first-start.js';
import { TenancyModule } from './tenancy/tenancy.module.js';
import { TrustModule } from './trust/trust.module.js';
import { UserAdminModule } from './user-admin/user-admin.module.js';
import { WebhookSender } from './webhooks/delivery/webhook-sender.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

/** The composition root. The FIDO calls come first, since Express tries its routes in order. */
@Module({})
export class AppModule {
  static async with(options: ServerOptions, composition: Composition): Promise<DynamicModule> {
    const { clock = new Clock() } = composition;
    const doors = await doorsOf(options);
    return {
      module: AppModule,
      imports: [
        ...foundation(options, {
          ...composition,
          check: requireDatabaseKeys,
          created: (runner) => sealNewTrail(runner, options, clock.now()),
        }),
        FidoModule,
        ...doors,
        InvitationsModule,
        AuditModule,
        AccountsModule,
        EventsModule,
        TenancyModule,
        WebhooksModule,
        TrustModule,
        HealthModule,
        PagesModule,
        BillingModule,
        AdoptionModule,
        UserAdminModule,
      ],
      providers: [
        BasicStrategy,
        { provide: APP_FILTER, useClass: ErrorFilter },
        // The jobs that number and send events, which administering commands do not need.
        EventNumbering,
        WebhookSender,
        // A command must create nothing but what it says.
        ...(composition.migrates ? [FirstStart] : []),
      ],
    };
  }
}

/** What is off until it is configured, and loaded only then. */
async function doorsOf({ consoleOidc, entra, oidc, scim }: ServerOptions): Promise<Type[]> {
  const doors: Type[] = [];
  // If only the doors imported it, the route for unknown addresses would come before its routes.
  if (oidc || entra) doors.push((await import('./issuers/issuers.module.js')).IssuersModule);
  if (oidc) doors.push((await import('./oidc/oidc.module.js')).OidcModule);
  if (entra) doors.push((await import('./entra/entra.module.js')).EntraModule);
  if (scim) doors.push((await import('./scim/scim.module.js')).ScimModule);
  if (consoleOidc !== undefined) {
    doors.push((await import('./accounts/oidc/console-oidc.module.js')).ConsoleOidcModule);
  }
  return doors;
}
