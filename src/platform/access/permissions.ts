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
  'audit:read',
  'groups',
  'scim',
] as const;

export type KeyPermission = (typeof KEY_PERMISSIONS)[number];

interface PermissionLine {
  /** The permission in words, as in the docs. */
  readonly says: string;
  /** The roles that have it besides `admin`, which has every permission. */
  readonly roles: readonly AccountRole[];
  /** The permission of application keys that includes it. */
  readonly ofKeys?: KeyPermission;
}

/** The permissions of the console. Guards, pages and menus use this table, and docs/administration.md shows it. */
export const PERMISSIONS = {
  'account:own': {
    says: 'change their own sign-in, end their own sessions',
    roles: ['helpdesk', 'lead', 'finance', 'auditor'],
  },
  'accounts:read': { says: 'see accounts', roles: ['auditor'] },
  'accounts:change': { says: 'create, change and remove accounts', roles: [] },
  'dashboard:read': {
    says: 'see the dashboard',
    roles: ['helpdesk', 'lead', 'finance', 'auditor'],
  },
  'setup:read': { says: 'see the setup and the state of the server', roles: ['auditor'] },
  'users:read': {
    says: 'find users, look up lists',
    roles: ['helpdesk', 'lead', 'auditor'],
    ofKeys: 'users:read',
  },
  'events:read': {
    says: 'read events, explain refusals',
    roles: ['helpdesk', 'lead', 'auditor'],
    ofKeys: 'events:read',
  },
  'adoption:read': {
    says: 'see adoption figures',
    roles: ['helpdesk', 'lead', 'finance', 'auditor'],
    ofKeys: 'users:read',
  },
  'keys:change': {
    says: 'disable, enable and delete keys',
    roles: ['helpdesk', 'lead'],
    ofKeys: 'users:write',
  },
  'users:delete': {
    says: 'delete users, one by one or by a list',
    roles: ['lead'],
    ofKeys: 'users:write',
  },
  'users:suspend': {
    says: 'suspend users, end suspensions',
    roles: ['helpdesk', 'lead'],
    ofKeys: 'users:write',
  },
  'groups:change': { says: 'change the groups of users', roles: [], ofKeys: 'groups' },
  'users:rename': { says: 'change user names and display names', roles: [], ofKeys: 'users:write' },
  'users:erase': { says: 'erase users from all records', roles: [] },
  'users:transfer': { says: 'export and import users with their keys', roles: [] },
  'tickets:issue': {
    says: 'issue tickets and invitations',
    roles: ['helpdesk', 'lead'],
    ofKeys: 'tickets',
  },
  'invitations:read': {
    says: 'see tickets and invitations',
    roles: ['helpdesk', 'lead', 'auditor'],
    ofKeys: 'tickets',
  },
  'models:read': { says: 'see authenticator models', roles: ['helpdesk', 'lead', 'auditor'] },
  'models:change': { says: 'change the whitelist', roles: [] },
  'metadata:read': { says: 'see FIDO metadata', roles: ['auditor'] },
  'metadata:change': { says: 'upload FIDO metadata', roles: [] },
  'tenants:read': { says: 'see tenants, relying parties and policies', roles: ['auditor'] },
  'tenants:change': { says: 'change tenants, relying parties and origins', roles: [] },
  'policies:change': { says: 'change policies', roles: [], ofKeys: 'policy:write' },
  'application-keys:read': { says: 'see application keys', roles: ['auditor'] },
  'application-keys:change': { says: 'issue and revoke application keys', roles: [] },
  'clients:read': { says: 'see clients of OpenID Connect', roles: ['auditor'] },
  'clients:change': { says: 'add, change and remove clients of OpenID Connect', roles: [] },
  'webhooks:read': { says: 'see webhooks', roles: ['auditor'] },
  'webhooks:change': { says: 'add, change and remove webhooks', roles: [] },
  'invoices:read': { says: 'see invoices', roles: ['finance', 'auditor'], ofKeys: 'invoices:read' },
  'invoices:issue': { says: 'issue invoices', roles: ['finance'] },
  'audit:read': { says: 'read the audit trail', roles: ['auditor'], ofKeys: 'audit:read' },
} as const satisfies Record<string, PermissionLine>;

export type Permission = keyof typeof PERMISSIONS;

/**
 * Whether an account's role, or a key's permissions, allow this; its `tenants` decide for which tenants. An account
 * that its owner must set up first may do nothing else.
 */
export function may(
  { role, key, pending }: Pick<Account, 'role' | 'key' | 'pending'>,
  permission: Permission,
): boolean {
  if (pending && permission !== 'account:own') return false;
  const { roles, ofKeys }: PermissionLine = PERMISSIONS[permission];
  if (role === 'key') return ofKeys !== undefined && key?.scopes.includes(ofKeys) === true;
  return role === 'admin' || roles.includes(role);
}

/** The roles of accounts, and the permissions of application keys, that include one of these permissions. */
export function rolesAndKeysWith(anyOf: readonly Permission[]) {
  const lines: readonly PermissionLine[] = anyOf.map((permission) => PERMISSIONS[permission]);
  return {
    roles: [...new Set(['admin', ...lines.flatMap(({ roles }) => roles)])],
    keys: [...new Set(lines.flatMap(({ ofKeys }) => ofKeys ?? []))],
  };
}

/** @throws ApiError E0043R if the account's role, or the key's permissions, allow none of these */
export function ensureMay(account: Account, ...anyOf: readonly Permission[]): void {
  if (anyOf.some((permission) => may(account, permission))) return;
  if (account.key) throw refusalOfKey(anyOf);
  if (account.pending) throw new ApiError('E0043R', `account.first.${account.pending}`);
  throw new ApiError('E0043R', 'permission.role');
}

/** Names a permission of keys that would be enough, if there is one. */
function refusalOfKey(anyOf: readonly Permission[]): ApiError {
  const lines: readonly PermissionLine[] = anyOf.map((permission) => PERMISSIONS[permission]);
  const ofKeys = lines.find((line) => line.ofKeys !== undefined)?.ofKeys;
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
