import { Inject, Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  readConsoleOidc,
  type ConsoleOidc,
} from '../../platform/config/files/console-oidc-file.js';
import { serverOptions } from '../../platform/config/server-config.js';
import { ConsoleAccount } from '../console-account.entity.js';
import { ConsoleSession } from '../sessions/console-session.entity.js';
import { ConsoleSessions } from '../sessions/console-sessions.js';
import { ConsoleSignIn } from '../sign-in/console-sign-in.js';
import { AuthorizationRequests } from './authorization-requests.js';
import { BackChannelLogout } from './back-channel-logout.js';
import { CONSOLE_OIDC, IdentityProvider } from './identity-provider.js';
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
    { provide: CONSOLE_OIDC, inject: [serverOptions.KEY], useFactory: readConsoleOidc },
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
export class ConsoleOidcModule implements OnModuleInit {
  @Inject(CONSOLE_OIDC) private readonly settings!: ConsoleOidc;

  constructor(
    private readonly signIn: ConsoleSignIn,
    private readonly sessions: ConsoleSessions,
    private readonly checks: ProviderSessions,
  ) {}

  /** Registers the button of the sign-in page, and the check of the sessions that began at the provider. */
  onModuleInit(): void {
    const { name, address } = this.settings;
    this.signIn.provider = { name, page: `${address}/console/oidc` };
    this.sessions.elsewhere = this.checks;
  }
}
