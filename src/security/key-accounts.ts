import type { Account } from './account.js';

/**
 * Knows whose a secret of an application key is. Tenants own the keys, so that `tenancy/keys` provides
 * it; guards ask for this class.
 */
export abstract class KeyAccounts {
  /**
   * The account of a key.
   *
   * @throws ApiError E0042R where it is unknown, expired, revoked, or its tenant was removed
   */
  abstract find(secret: string): Promise<Account>;
}
