import { Injectable } from '@nestjs/common';
import type { Express, Request } from 'express';
import { ApiError } from '../../platform/errors/api-error.js';
import { pageBefore } from '../../platform/errors/visitor.js';
import type { Account } from '../../platform/access/accounts/account.js';
import { BrowserSessions } from '../../platform/access/caller.guard.js';
import { isNavigation, isReading } from '../../platform/access/cross-site.guard.js';
import { allowedMethods } from '../../platform/http/route-by-prefix.js';
import { SIGN_IN_TEMPLATE } from '../sign-in/sign-in.page.js';
import { SignIn } from '../sign-in/sign-in.service.js';
import { ConsoleSessions } from './console-sessions.service.js';
import { readCookie } from './session-cookie.js';

/** Answers what guards and pages ask about sessions. */
@Injectable()
export class SessionLookup extends BrowserSessions {
  constructor(
    private readonly sessions: ConsoleSessions,
    private readonly signIn: SignIn,
  ) {
    super();
  }

  get areOn(): boolean {
    return this.sessions.areOn;
  }

  find(request: Request): Promise<Account | undefined> {
    return this.sessions.find(request);
  }

  async refusal(request: Request): Promise<ApiError> {
    if (!isNavigation(request)) return new ApiError('E0042R', 'console.signIn');
    const undone = !isReading(request) && request.path !== '/console/sign-out';
    const ended = undone || readCookie(request) !== undefined;
    const model = await this.signIn.page(request, wayOn(request), { ended, undone });
    return new ApiError(
      'E0042R',
      'console.signIn',
      {},
      {
        headers: { 'Cache-Control': 'no-store' },
        page: { template: SIGN_IN_TEMPLATE, model },
      },
    );
  }
}

/** Where the sign-in leads on: for a form, to its page, unless that was itself the answer to a form. */
function wayOn(request: Request): string {
  const { app, method, originalUrl, path } = request;
  if (method === 'GET') return originalUrl;
  const isPage = (way: string | undefined) =>
    way !== undefined && allowedMethods(app as Express, way.replace(/\?.*/, '')).includes('GET');
  return [pageBefore(request), path].find(isPage) ?? '/';
}
