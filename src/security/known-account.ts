import { createHash } from 'node:crypto';
import type { AccountEntry } from '../config/accounts-file.js';
import type { Account } from './account.js';

/** An account that somebody can sign in to, as it stands now. */
export interface KnownAccount {
  readonly account: Account;
  /** The hash of its password. */
  readonly password: string;
  /**
   * 32 bytes, others with each change of role, tenants or password: a session that began with other ones
   * is over.
   */
  readonly mark: Buffer;
}

/** What stands of an account in the configuration, for guards and sessions. */
export function knownAccount({ name, role, tenants, password }: AccountEntry): KnownAccount {
  const facts = JSON.stringify([role, tenants ?? null, password]);
  return {
    account: tenants ? { name, role, tenants } : { name, role },
    password,
    mark: createHash('sha256').update(facts).digest(),
  };
}
