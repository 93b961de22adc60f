import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountController } from './account/account.controller.js';
import { BrowserSessions } from '../security/browser-sessions.js';
import { ConsoleSession } from './sessions/console-session.entity.js';
import { ConsoleSessions } from './sessions/console-sessions.service.js';
import { SessionLookup } from './sessions/session-lookup.js';
import { BasicController } from './sign-in/basic.controller.js';
import { SignInController } from './sign-in/sign-in.controller.js';
import { SignIn } from './sign-in/sign-in.service.js';
import { SignOutController } from './sign-in/sign-out.controller.js';

/** Who works in the administration, and how they sign in. The guards of every module ask for sessions. */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature([ConsoleSession])],
  controllers: [AccountController, BasicController, SignInController, SignOutController],
  providers: [ConsoleSessions, SignIn, { provide: BrowserSessions, useClass: SessionLookup }],
  exports: [BrowserSessions],
})
export class ConsoleModule {}
