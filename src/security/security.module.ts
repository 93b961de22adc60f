import { Global, Module } from '@nestjs/common';
import { Accounts } from './accounts.js';
import { AdminAccount } from './admin-account.js';
import { PermissionGuard } from './allow.js';
import { BasicAuthGuard } from './basic-auth.guard.js';
import { CallerGuard } from './caller.guard.js';
import { ConnectionLimits } from './connection-limits.js';
import { CrossSiteGuard } from './cross-site.guard.js';
import { FailedLogins } from './failed-logins.js';
import { FormTokenGuard, FormTokens } from './form-token.js';
import { LongRequests } from './long-requests.js';
import { OptionalCallerGuard } from './optional-caller.guard.js';
import { PasswordChecks } from './password-checks.js';

/**
 * Who is let in to the administration. Passport keeps one strategy for a whole process, so that only the
 * server adds ours.
 */
@Global()
@Module({
  providers: [
    Accounts,
    AdminAccount,
    BasicAuthGuard,
    CallerGuard,
    ConnectionLimits,
    CrossSiteGuard,
    FailedLogins,
    FormTokenGuard,
    FormTokens,
    LongRequests,
    OptionalCallerGuard,
    PasswordChecks,
    PermissionGuard,
  ],
  exports: [
    Accounts,
    AdminAccount,
    BasicAuthGuard,
    CallerGuard,
    ConnectionLimits,
    CrossSiteGuard,
    FailedLogins,
    FormTokenGuard,
    FormTokens,
    LongRequests,
    OptionalCallerGuard,
    PasswordChecks,
    PermissionGuard,
  ],
})
export class SecurityModule {}
