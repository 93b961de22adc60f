import { createHash } from 'node:crypto';
import type { AccountRole } from '../../config/files/accounts-file.js';
import type { Account } from './account.js';
import type { SignInRule } from './stored-accounts.js';

/** An account as the configuration or the database has it. */
interface AccountFacts {
  readonly name: string;
  readonly role: AccountRole;
  readonly tenants?: readonly string[] | undefined;
  /** A hash; empty where it has no password. */
  readonly password: string;
  readonly signIn: SignInRule;
  /** Whether it stands in the configuration, and can be changed only there. */
  readonly configured: boolean;
}

/** An account that somebody can sign in to, as it stands now. */
export interface KnownAccount extends Pick<AccountFacts, 'password' | 'signIn' | 'configured'> {
  readonly account: Account;
  /** 32 bytes that change with role, tenants, password or rule: they end a session that began with others. */
  readonly mark: Buffer;
}

/** Makes the account that guards and sessions use. */
export function knownAccount(facts: AccountFacts): KnownAccount {
  const { name, role, tenants, password, signIn, configured } = facts;
  const said = JSON.stringify([role, tenants ?? null, password, signIn]);
  return {
    account: tenants ? { name, role, tenants } : { name, role },
    ...{ password, signIn, configured },
    mark: createHash('sha256').update(said).digest(),
  };
}
