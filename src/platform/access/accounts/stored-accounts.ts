import type { AccountRole } from '../../config/files/accounts-file.js';

/** How an account may sign in on the console's page. HTTP Basic, which has no key, needs `password`. */
export const SIGN_IN_RULES = ['password', 'password+key', 'key'] as const;
export type SignInRule = (typeof SIGN_IN_RULES)[number];

/** What the console keeps of an account. */
export interface StoredAccount {
  /** `null` for an account of the configuration, of which the console keeps only the rule and the keys. */
  readonly role: AccountRole | null;
  readonly tenants: readonly string[] | null;
  /** A hash; `null` where it has no password. */
  readonly password: string | null;
  readonly signIn: SignInRule;
}

/**
 * Finds what the console keeps of accounts. The console provides this class; checks of passwords depend on it
 * alone.
 */
export abstract class StoredAccounts {
  /** Read anew at each call: a change counts on all instances at once. */
  abstract find(name: string): Promise<StoredAccount | undefined>;
}
