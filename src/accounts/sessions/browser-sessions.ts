import { Injectable, type CanActivate } from '@nestjs/common';
import type { Request } from 'express';
import { ApiError, Refuses } from '../../platform/errors/api-error.js';
import { problem } from '../../platform/errors/reasons.js';
import type { Account } from '../../platform/access/accounts/account.js';
import { BrowserSessions } from '../../platform/access/caller.guard.js';
import { isNavigation, isReading } from '../../platform/access/cross-site.guard.js';
import { ConsoleSignIn } from '../sign-in/console-sign-in.js';
import { ConsoleSessions } from './console-sessions.js';
import { readCookie } from './session-cookie.js';

/** Refuses with E0046R if browsers have no sessions. */
@Injectable()
@Refuses('E0046R')
export class SessionsOnGuard implements CanActivate {
  constructor(private readonly sessions: BrowserSessions) {}

  canActivate(): boolean {
    if (this.sessions.areOn) return true;
    throw new ApiError('E0046R', 'console.off');
  }
}

/** Looks up sessions for guards and pages. */
@Injectable()
export class DatabaseBrowserSessions extends BrowserSessions {
  constructor(
    private readonly sessions: ConsoleSessions,
    private readonly signIn: ConsoleSignIn,
  ) {
    super();
  }

  get areOn(): boolean {
    return this.sessions.areOn;
  }

  authenticate(request: Request): Promise<Account | undefined> {
    return this.sessions.authenticate(request);
  }

  async refusal(request: Request): Promise<ApiError> {
    if (!isNavigation(request)) return new ApiError('E0042R', 'console.signIn');
    const undone = !isReading(request) && request.path !== '/console/sign-out';
    const ended = undone || readCookie(request) !== undefined;
    return this.signIn.first(request, ['E0042R', problem('console.signIn')], { ended, undone });
  }

  async staleness(request: Request, account: Account): Promise<ApiError | undefined> {
    if (account.session === undefined || (await this.sessions.isFresh(account))) return undefined;
    return this.signIn.again(request);
  }
}
