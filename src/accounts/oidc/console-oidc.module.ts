import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ConsoleOidc, readConsoleOidc } from '../../platform/config/files/console-oidc-file.js';
import { serverOptions } from '../../platform/config/server-config.js';
import { ConsoleAccount } from '../console-account.entity.js';
import { ConsoleSession } from '../sessions/console-session.entity.js';
import { AuthorizationRequests } from './authorization-requests.js';
import { BackChannelLogout } from './back-channel-logout.js';
import { IdentityProvider } from './identity-provider.js';
import { KeyAfterProvider } from './key-after-provider.js';
import { ProviderAccounts } from './provider-accounts.js';
import { ProviderLogouts } from './provider-logouts.js';
import { ProviderController } from './provider.controller.js';
import { ProviderSeal } from './provider-seal.js';
import { ProviderSessions } from './provider-sessions.js';
import { ProviderSignIn } from './provider-sign-in.js';

/** Accounts that sign in at an OpenID provider. `app.module.ts` loads it only with `--console-oidc`. */
@Module({
  imports: [TypeOrmModule.forFeature([ConsoleAccount, ConsoleSession])],
  controllers: [ProviderController],
  providers: [
    { provide: ConsoleOidc, inject: [serverOptions.KEY], useFactory: readConsoleOidc },
    AuthorizationRequests,
    BackChannelLogout,
    IdentityProvider,
    KeyAfterProvider,
    ProviderAccounts,
    ProviderLogouts,
    ProviderSeal,
    ProviderSessions,
    ProviderSignIn,
  ],
})
export class ConsoleOidcModule {}
