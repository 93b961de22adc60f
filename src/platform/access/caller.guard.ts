import { Injectable } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { Refuses } from '../errors/refusals.js';
import { BasicAuthGuard } from './basic/basic-auth.guard.js';
import { BrowserSessions } from './accounts/browser-sessions.js';
import { isBrowser } from './is-browser.js';
import { KeyAccounts } from './accounts/key-accounts.js';
import { secretIn } from './accounts/key-secret.js';

/**
 * Finds out who calls the administration: an application by its key (RFC 6750), a browser by its session, and
 * anybody else by HTTP Basic, browsers that send `Authorization` among them. Even with `--auth off` a key has
 * only its own scopes, so that an application meets the limits that it will have.
 */
@Injectable()
@Refuses('E0040R', 'E0042R')
export class CallerGuard implements CanActivate {
  constructor(
    private readonly basic: BasicAuthGuard,
    private readonly keys: KeyAccounts,
    private readonly sessions: BrowserSessions,
  ) {}

  /** @throws ApiError E0042R */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const { authorization } = request.headers;
    const secret = secretIn(authorization);
    if (secret !== undefined) request.user = await this.keys.find(secret);
    else if (authorization === undefined && this.sessions.areOn) {
      request.user = await this.sessions.find(request);
      if (request.user === undefined && isBrowser(request))
        throw await this.sessions.refusal(request);
    }
    return request.user !== undefined || (await this.basic.canActivate(context)) === true;
  }
}
