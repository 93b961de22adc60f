import type { Account } from './account.js';

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
