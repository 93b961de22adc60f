import { Injectable } from '@nestjs/common';
import type { CanActivate, ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { Refuses } from '../errors/refusals.js';
import { BasicAuthGuard } from './basic/basic-auth.guard.js';
import { isBrowser } from './cross-site.guard.js';
import { secretIn } from './accounts/key-secret.js';
import type { Account } from './accounts/account.js';
import type { ApiError } from '../errors/api-error.js';

/**
 * Knows whose session a browser has, and what one without a session is told. The console, which keeps the
 * sessions, provides this class; guards and pages depend on it alone.
 */
export abstract class BrowserSessions {
  /** `false` with `--console basic` and `--auth off`: no session counts then. */
  abstract readonly areOn: boolean;

  /**
   * The account that has signed in on the console's page, read anew at each call: a session that was ended,
   * has waited too long, or whose account is not what it was lets nobody in.
   */
  abstract find(request: Request): Promise<Account | undefined>;

  /**
   * The E0042R for a browser without a session: the sign-in page for a person who opens a page, and no
   * challenge for a script.
   */
  abstract refusal(request: Request): Promise<ApiError>;
}

/**
 * Finds the account of an application key by the key's secret. `tenancy/keys`, which keeps the keys of
 * tenants, provides this class; guards depend on it alone.
 */
export abstract class KeyAccounts {
  /**
   * The account of a key.
   *
   * @throws ApiError E0042R where it is unknown, expired, revoked, or its tenant was removed
   */
  abstract find(secret: string): Promise<Account>;
}

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
