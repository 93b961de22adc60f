import type { AccountRole } from '../config/files/accounts-file.js';
import { ApiError } from '../errors/api-error.js';
import type { Account, ApplicationKeyGrant } from './accounts/account.js';

/** Permissions of application keys, which the API calls `scopes`; docs/keys.md says which calls each opens. */
export const KEY_PERMISSIONS = [
  'ceremonies',
  'second-factor',
  'users:read',
  'users:write',
  'tickets',
  'events:read',
  'invoices:read',
  'policy:write',
] as const;

export type KeyPermission = (typeof KEY_PERMISSIONS)[number];

/** A permission in words, the roles that have it besides `admin`, and the permission of application keys that includes it. */
type Line = readonly [says: string, roles: readonly AccountRole[], ofKeys?: KeyPermission];

/**
 * The permissions of the console: the name in the docs, the roles that have it besides `admin`, which has every
 * permission, and the permission of application keys that includes it. Guards, pages and menus all use this table,
 * and docs/administration.md shows it.
 */
export const PERMISSIONS = {
  'account:own': [
    'change their own sign-in, end their own sessions',
    ['helpdesk', 'finance', 'auditor'],
  ],
  'accounts:read': ['see accounts', ['auditor']],
  'accounts:change': ['create, change and remove accounts', []],
  'dashboard:read': ['see the dashboard', ['helpdesk', 'finance', 'auditor']],
  'setup:read': ['see the setup and the state of the server', ['auditor']],
  'users:read': ['find users, look up lists', ['helpdesk', 'auditor'], 'users:read'],
  'events:read': ['read events, explain refusals', ['helpdesk', 'auditor'], 'events:read'],
  'adoption:read': ['see adoption figures', ['helpdesk', 'finance', 'auditor'], 'users:read'],
  'keys:change': ['disable, enable and delete keys', ['helpdesk'], 'users:write'],
  'users:delete': ['delete users, one by one or by a list', [], 'users:write'],
  'users:rename': ['change user names and display names', [], 'users:write'],
  'users:erase': ['erase users from all records', []],
  'users:transfer': ['export and import users with their keys', []],
  'tickets:issue': ['issue tickets and invitations', ['helpdesk'], 'tickets'],
  'invitations:read': ['see invitations', ['helpdesk', 'auditor'], 'tickets'],
  'models:read': ['see authenticator models', ['helpdesk', 'auditor']],
  'models:change': ['change the whitelist', []],
  'metadata:read': ['see FIDO metadata', ['auditor']],
  'metadata:change': ['upload FIDO metadata', []],
  'tenants:read': ['see tenants, relying parties and policies', ['auditor']],
  'tenants:change': ['change tenants, relying parties and origins', []],
  'policies:change': ['change policies', [], 'policy:write'],
  'application-keys:read': ['see application keys', ['auditor']],
  'application-keys:change': ['issue and revoke application keys', []],
  'webhooks:read': ['see webhooks', ['auditor']],
  'webhooks:change': ['add, change and remove webhooks', []],
  'invoices:read': ['see invoices', ['finance', 'auditor'], 'invoices:read'],
  'invoices:issue': ['issue invoices', ['finance']],
  'audit:read': ['read the audit trail', ['auditor']],
} as const satisfies Record<string, Line>;

export type Permission = keyof typeof PERMISSIONS;

/**
 * Whether an account's role, or a key's permissions, allow this; for which tenants is decided by its `tenants`. An account
 * that its owner must set up first may do nothing else.
 */
export function may(
  { role, key, pending }: Pick<Account, 'role' | 'key' | 'pending'>,
  permission: Permission,
): boolean {
  if (pending && permission !== 'account:own') return false;
  const [, roles, ofKeys]: Line = PERMISSIONS[permission];
  if (role === 'key') return ofKeys !== undefined && key?.scopes.includes(ofKeys) === true;
  return role === 'admin' || roles.includes(role);
}

/** @throws ApiError E0043R if the account's role, or the key's permissions, allow none of these */
export function ensureMay(account: Account, ...anyOf: readonly Permission[]): void {
  if (anyOf.some((permission) => may(account, permission))) return;
  if (account.key) throw refusalOfKey(anyOf);
  if (account.pending) throw new ApiError('E0043R', `account.first.${account.pending}`);
  throw new ApiError('E0043R', 'permission.role', { role: account.role });
}

/** Names a permission of keys that would be enough, if there is one. */
function refusalOfKey(anyOf: readonly Permission[]): ApiError {
  const lines: readonly Line[] = anyOf.map((permission) => PERMISSIONS[permission]);
  const ofKeys = lines.find((line) => line[2] !== undefined)?.[2];
  return ofKeys === undefined
    ? new ApiError('E0043R', 'applicationKey.closed')
    : new ApiError('E0043R', 'applicationKey.needsScope', { scope: ofKeys });
}

/** @throws ApiError E0043R if an application key does not have this permission */
export function ensureKeyPermission(
  { scopes }: ApplicationKeyGrant,
  permission: KeyPermission,
): void {
  if (scopes.includes(permission)) return;
  throw new ApiError('E0043R', 'applicationKey.needsScope', { scope: permission });
}
