import type { Request } from 'express';
import type { ApiError } from '../../errors/api-error.js';
import type { Account } from './account.js';

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
