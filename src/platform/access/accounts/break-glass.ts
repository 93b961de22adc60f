import type { Request } from 'express';
import type { Account } from './account.js';

/**
 * Local accounts for emergencies: with `--console-local break-glass` no other may sign in here. The console implements
 * this class; HTTP Basic and the findings depend only on this class.
 */
export abstract class BreakGlass {
  /** Stores an audit row of a sign-in before the account may do anything; does nothing without that option. */
  abstract record(
    account: Account,
    request: Pick<Request, 'ip' | 'requestId'>,
    way: string,
  ): Promise<void>;

  /** The names of the accounts that have signed in so since a time, in milliseconds since 1970. */
  abstract signedInSince(at: number): Promise<string[]>;

  /** Whether the option is set, and no account could sign in here. */
  abstract isMissing(): Promise<boolean>;
}
