import type { EntityManager } from 'typeorm';
import type { AccountRole } from '../platform/config/files/accounts-file.js';
import { seesTenant, type Account } from '../platform/access/accounts/account.js';
import type { KnownAccount } from '../platform/access/accounts/accounts.js';
import { ApiError } from '../platform/errors/api-error.js';
import { Tenant } from '../tenancy/tenant.entity.js';

/** The role of an account, the tenants to which the role applies, and whether a second factor is required. */
export interface AccountPermissions {
  readonly role: AccountRole;
  readonly tenants?: readonly string[] | undefined;
  readonly secondFactor?: boolean | undefined;
}

/** The facts of permissions in the audit trail. */
export const permissionFacts = ({ role, tenants, secondFactor }: AccountPermissions) => ({
  role,
  ...(tenants && { tenants: tenants.join(', ') }),
  ...(secondFactor && { secondFactor }),
});

export const accountPermissionsOf = (known: Pick<KnownAccount, 'account' | 'needsKey'>) => ({
  role: known.account.role as AccountRole,
  tenants: known.account.tenants,
  secondFactor: known.needsKey,
});

/**
 * Converts permissions to the values of their form.
 *
 * @param givable names of the tenants in the form, which shows no others, for example removed ones
 */
export const formPermissions = (
  { role, tenants = [], secondFactor = false }: AccountPermissions,
  givable: readonly string[],
) => ({ role, tenants: givable.filter((name) => tenants.includes(name)), secondFactor });

/** The tenants of a limited account by their display names, as far as known; a dash if all of them were removed. */
export function tenantsText(
  { tenants }: Pick<Account, 'tenants'>,
  known: readonly Pick<Tenant, 'name' | 'displayName'>[] = [],
): string | undefined {
  const names = new Map(known.map(({ name, displayName }) => [name, displayName]));
  return tenants && (tenants.map((name) => names.get(name) ?? name).join(', ') || '–');
}

/**
 * Whether an account has all permissions of another account with the same role. If all tenants of that account were
 * removed, only accounts of all tenants do.
 */
export const coversTenants = (by: Account, { tenants = [] }: Pick<Account, 'tenants'>): boolean =>
  by.tenants === undefined || (tenants.length > 0 && tenants.every((name) => seesTenant(by, name)));

/** The tenants for which an account may grant permissions: those for which it has permissions itself. */
export async function givableTenants(manager: EntityManager, by: Account): Promise<Tenant[]> {
  const all = await manager.find(Tenant, { where: { closedAt: 0 }, order: { name: 'ASC' } });
  return all.filter(({ name }) => seesTenant(by, name));
}

/** @throws ApiError E0043R if `by` does not have these permissions; E0045R if a tenant does not exist */
export async function ensureWithin(
  manager: EntityManager,
  by: Account,
  tenants: readonly string[] | undefined,
): Promise<void> {
  if (!coversTenants(by, tenants ? { tenants } : {}))
    throw new ApiError('E0043R', 'account.beyondRights', {}, { field: 'tenants' });
  const known = (await givableTenants(manager, by)).map(({ name }) => name);
  const unknown = tenants?.find((tenant) => !known.includes(tenant));
  if (unknown !== undefined)
    throw new ApiError('E0045R', 'account.unknownTenant', { tenant: unknown });
}
