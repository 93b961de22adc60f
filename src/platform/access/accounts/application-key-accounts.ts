import type { Account } from './account.js';

/**
 * Finds the account of an application key by its secret. `tenancy/keys`, which stores the keys of tenants, implements
 * this class; guards depend only on this class.
 */
export abstract class ApplicationKeyAccounts {
  /** @throws ApiError E0042R if it is unknown, expired or revoked, or its tenant was removed */
  abstract authenticate(secret: string): Promise<Account>;
}
