import { Injectable, Logger, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { Refuses, type ApiError } from '../errors/api-error.js';
import { isVisitor } from '../errors/visitor.js';
import { BasicAuthGuard } from './basic/basic-auth.js';
import { isBrowser } from './cross-site.guard.js';
import { ApplicationKeyAccounts } from './accounts/application-key-accounts.js';
import { secretIn } from './accounts/key-secret.js';
import { callerOf, type Account } from './accounts/account.js';
import { FormTokens } from './form-token.js';

/**
 * Finds the session of a browser, and creates the answer for a browser without one. The console, which stores the
 * sessions, implements this class; guards and pages depend only on this class.
 */
export abstract class BrowserSessions {
  /** `false` with `--console basic` and `--auth off`: sessions are then ignored. */
  abstract readonly areOn: boolean;

  /**
   * The account that has signed in on the console's page, read again at each call. A session is not valid if it was
   * ended or was idle too long, or if its account has changed.
   */
  abstract authenticate(request: Request): Promise<Account | undefined>;

  /**
   * The E0042R for a browser without a session: with the sign-in page if the request opens a page, and without a
   * challenge for a script.
   */
  abstract refusal(request: Request): Promise<ApiError>;

  /**
   * The E0045R with the sign-in page for a session whose sign-in is too long ago to let others in; `undefined` for a
   * recent sign-in, and for a caller without a session, who has sent the password with the request.
   */
  abstract staleness(request: Request, account: Account): Promise<ApiError | undefined>;
}

/**
 * Identifies the caller of the console: an application by its key (RFC 6750), a browser by its session, and any other
 * caller, including browsers that send `Authorization`, by HTTP Basic. Even with `--auth off` a key has only its own
 * permissions, so that an application meets its later limits from the beginning.
 */
@Injectable()
@Refuses('E0040R', 'E0042R')
export class CallerGuard implements CanActivate {
  constructor(
    private readonly basic: BasicAuthGuard,
    private readonly keys: ApplicationKeyAccounts,
    private readonly sessions: BrowserSessions,
  ) {}

  /** @throws ApiError E0042R */
  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<Request>();
    const { authorization } = request.headers;
    const secret = secretIn(authorization);
    if (secret !== undefined) request.user = await this.keys.authenticate(secret);
    else if (authorization === undefined && this.sessions.areOn) {
      request.user = await this.sessions.authenticate(request);
      if (request.user === undefined && isBrowser(request))
        throw await this.sessions.refusal(request);
    }
    return request.user !== undefined || (await this.basic.canActivate(context)) === true;
  }
}

/**
 * For a page that is public, and shows more to a signed-in account: identifies the caller, and admits every caller.
 * A caller with wrong credentials sees what a visitor sees, as does every caller while the database is unreachable;
 * guesses are counted as elsewhere.
 */
@Injectable()
export class OptionalCallerGuard implements CanActivate {
  private readonly logger = new Logger(OptionalCallerGuard.name);

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
      request.formToken = this.tokens.issue(callerOf(request));
    } catch (error) {
      // A wrong password is logged as if one were required: with the address, and never with the name.
      const { cause } = error as Error;
      if (cause instanceof Error) this.logger.warn(cause.message);
    }
    return true;
  }
}
