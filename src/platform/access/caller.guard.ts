import { Injectable, Logger, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { Refuses } from '../errors/refusals.js';
import { BasicAuthGuard } from './basic/basic-auth.guard.js';
import { isBrowser } from './cross-site.guard.js';
import { secretIn } from './accounts/key-secret.js';
import { ANYBODY, accountOf, type Account } from './accounts/account.js';
import type { ApiError } from '../errors/api-error.js';
import { isVisitor } from '../errors/visitor.js';
import { FormTokens } from './form-token.js';

/**
 * Finds the session of a browser, and makes the answer for a browser without one. The console, which keeps the
 * sessions, implements this class; guards and pages depend on it alone.
 */
export abstract class BrowserSessions {
  /** `false` with `--console basic` and `--auth off`: no session counts then. */
  abstract readonly areOn: boolean;

  /**
   * The account that has signed in on the console's page, read again at each call: a session that was ended,
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
  /** @throws ApiError E0042R where it is unknown, expired, revoked, or its tenant was removed */
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

/**
 * For a page that is open to everybody, and shows more to people who are signed in: finds out who calls, and
 * lets everybody in. A caller with wrong credentials sees what a stranger sees, as everybody does while the
 * database cannot be reached; guesses are counted as elsewhere.
 */
@Injectable()
export class OptionalCallerGuard implements CanActivate {
  constructor(
    private readonly caller: CallerGuard,
    private readonly basic: BasicAuthGuard,
    private readonly tokens: FormTokens,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    if (isVisitor(request) && this.basic.asks) return true;
    try {
      await this.caller.canActivate(context);
      request.formToken = this.tokens.issue(accountOf(request) ?? ANYBODY);
    } catch (error) {
      // A wrong password is logged as where one is required: with the address, and never with the name.
      const { cause } = error as Error;
      if (cause instanceof Error) Logger.warn(cause.message, 'Security');
    }
    return true;
  }
}
