import { Global, Module } from '@nestjs/common';
import { AdminAccount } from './admin-account.js';
import { BasicAuthGuard } from './basic-auth.guard.js';
import { BasicStrategy } from './basic.strategy.js';
import { CrossSiteGuard } from './cross-site.guard.js';
import { FailedLogins } from './failed-logins.js';

@Global()
@Module({
  providers: [AdminAccount, BasicAuthGuard, BasicStrategy, CrossSiteGuard, FailedLogins],
  exports: [AdminAccount, BasicAuthGuard, CrossSiteGuard],
})
export class SecurityModule {}
