import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { BrowserSessions } from '../platform/access/caller.guard.js';
import { BreakGlass } from '../platform/access/accounts/break-glass.js';
import { StoredAccounts } from '../platform/access/accounts/accounts.js';
import { Tenant } from '../tenancy/tenant.entity.js';
import { AccountController } from './own-account/account.controller.js';
import { DatabaseStoredAccounts, AccountRows } from './account-rows.js';
import { AccountSetup } from './account-setup.js';
import { AuditedBreakGlass } from './audited-break-glass.js';
import { AccountsController } from './accounts.controller.js';
import { ConsoleAccount, ConsoleSetup } from './console-account.entity.js';
import { SetupController } from './setup.controller.js';
import { ConsoleAccounts } from './console-accounts.js';
import { ConsoleChallenges } from './keys/console-challenges.js';
import { ConsoleChallenge, ConsoleKey } from './keys/console-key.entity.js';
import { ConsoleKeys } from './keys/console-keys.js';
import { KeySignIn } from './keys/key-sign-in.js';
import { ConsoleSession } from './sessions/console-session.entity.js';
import { ConsoleSessions } from './sessions/console-sessions.js';
import { SessionUse } from './sessions/session-use.js';
import { DatabaseBrowserSessions } from './sessions/browser-sessions.js';
import {
  BasicController,
  SignInController,
  SignOutController,
} from './sign-in/sign-in.controller.js';
import { ConsoleSignIn } from './sign-in/console-sign-in.js';
import { SignInCompletion } from './sign-in/sign-in-completion.js';
import { AccountFinder } from './account-finder.js';
import { VisibleAccounts } from './visible-accounts.js';

/** Accounts of the administration, and how they sign in. Global, since the guards of every module need it. */
@Global()
@Module({
  imports: [
    TypeOrmModule.forFeature([
      ConsoleAccount,
      ConsoleChallenge,
      ConsoleKey,
      ConsoleSession,
      ConsoleSetup,
      Tenant,
    ]),
  ],
  controllers: [
    AccountController,
    AccountsController,
    BasicController,
    SetupController,
    SignInController,
    SignOutController,
  ],
  providers: [
    AccountFinder,
    AccountRows,
    AccountSetup,
    ConsoleChallenges,
    ConsoleAccounts,
    ConsoleKeys,
    KeySignIn,
    ConsoleSessions,
    ConsoleSignIn,
    SessionUse,
    SignInCompletion,
    VisibleAccounts,
    { provide: BreakGlass, useClass: AuditedBreakGlass },
    { provide: BrowserSessions, useClass: DatabaseBrowserSessions },
    { provide: StoredAccounts, useClass: DatabaseStoredAccounts },
  ],
  exports: [
    AccountSetup,
    BreakGlass,
    BrowserSessions,
    ConsoleAccounts,
    ConsoleChallenges,
    ConsoleSessions,
    ConsoleSignIn,
    KeySignIn,
    SignInCompletion,
    StoredAccounts,
  ],
})
export class AccountsModule {}
