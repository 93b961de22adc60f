import { Global, Module } from '@nestjs/common';
import { Accounts } from './accounts/accounts.js';
import { AdminAccount } from './accounts/admin-account.js';
import { PermissionGuard } from './allow.js';
import { BasicAuthGuard, BasicStrategyName } from './basic/basic-auth.js';
import { CallerGuard, OptionalCallerGuard } from './caller.guard.js';
import { ConnectionLimits } from './limits/connection-limits.js';
import { CrossSiteGuard } from './cross-site.guard.js';
import { FailedSignIns } from './basic/failed-sign-ins.js';
import { FormTokenGuard, FormTokens } from './form-token.js';
import { LongRequests } from './limits/long-requests.js';
import { PasswordChecks } from './basic/password-checks.js';
import { ListReaders } from './limits/concurrency-limit.js';

const SHARED = [
  Accounts,
  AdminAccount,
  BasicAuthGuard,
  BasicStrategyName,
  CallerGuard,
  ConnectionLimits,
  CrossSiteGuard,
  FailedSignIns,
  FormTokenGuard,
  FormTokens,
  ListReaders,
  LongRequests,
  OptionalCallerGuard,
  PasswordChecks,
  PermissionGuard,
];

/** Authentication and permissions of the console. Only the server provides the strategy of HTTP Basic. */
@Global()
@Module({
  providers: SHARED,
  exports: SHARED,
})
export class AccessModule {}
