import { createHash } from 'node:crypto';
import type { Role } from '../config/accounts-file.js';
import type { Account } from './account.js';
import type { SignInRule } from './stored-accounts.js';

/** What stands of an account in the configuration or the database. */
export interface AccountFacts {
  readonly name: string;
  readonly role: Role;
  readonly tenants?: readonly string[] | undefined;
  /** A hash; empty where it has no password. */
  readonly password: string;
  readonly signIn: SignInRule;
  /** Whether it stands in the configuration, where alone it is changed. */
  readonly configured: boolean;
}

/** An account that somebody can sign in to, as it stands now. */
export interface KnownAccount extends Pick<AccountFacts, 'password' | 'signIn' | 'configured'> {
  readonly account: Account;
  /**
   * 32 bytes, others with each change of role, tenants, password or rule: a session that began with other
   * ones is over.
   */
  readonly mark: Buffer;
}

/** An account for guards and sessions. */
export function knownAccount(facts: AccountFacts): KnownAccount {
  const { name, role, tenants, password, signIn, configured } = facts;
  const said = JSON.stringify([role, tenants ?? null, password, signIn]);
  return {
    account: tenants ? { name, role, tenants } : { name, role },
    ...{ password, signIn, configured },
    mark: createHash('sha256').update(said).digest(),
  };
}
