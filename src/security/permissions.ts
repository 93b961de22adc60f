import { ApiError } from '../errors/api-error.js';
import type { Account, Role } from './account.js';

/**
 * What can be done in the administration, what it is called in the docs, and the roles that may do it
 * besides `admin`, which may do everything. Guards, pages and menus all ask this table, and
 * docs/administration.md shows it.
 */
export const PERMISSIONS = {
  'dashboard:read': ['see the dashboard', ['helpdesk', 'finance', 'auditor']],
  'users:read': ['find users, look up lists, explain refusals', ['helpdesk', 'auditor']],
  'keys:change': ['disable, enable and delete keys', ['helpdesk']],
  'users:delete': ['delete users, one by one or by a list', []],
  'tickets:issue': ['issue tickets for a registration', ['helpdesk']],
  'models:read': ['see the authenticator models', ['helpdesk', 'auditor']],
  'models:change': ['change the whitelist', []],
  'metadata:read': ['see the FIDO metadata', ['auditor']],
  'metadata:change': ['upload FIDO metadata', []],
  'tenants:read': ['see tenants, relying parties and policies', ['auditor']],
  'tenants:change': ['change tenants, relying parties and policies', []],
  'invoices:read': ['see invoices', ['finance', 'auditor']],
  'invoices:issue': ['issue invoices', ['finance']],
  'audit:read': ['read the audit trail', ['auditor']],
} as const satisfies Record<string, readonly [says: string, roles: readonly Role[]]>;

export type Permission = keyof typeof PERMISSIONS;

/** Whether an account's role may do this; of which tenants, its `tenants` say. */
export function may({ role }: Pick<Account, 'role'>, permission: Permission): boolean {
  const [, roles]: readonly [string, readonly Role[]] = PERMISSIONS[permission];
  return role === 'admin' || roles.includes(role);
}

/** @throws ApiError E0043R where the account's role may not do this */
export function ensureMay(account: Account, permission: Permission): void {
  if (may(account, permission)) return;
  throw new ApiError('E0043R', `The role "${account.role}" may not do this.`);
}
