import type { Account } from '../../platform/access/accounts/account.js';
import { may } from '../../platform/access/permissions.js';

/** What the layout needs for every page of users. */
export const USERS_PAGE = {
  texts: 'users',
  nav: { users: true },
  styles: ['/static/css/users.css'],
} as const;

/** The permissions of an account on users; the pages show no button that would be refused. */
export const userPermissions = (account: Account) => ({
  /** Disable, enable and delete keys. */
  keys: may(account, 'keys:change'),
  /** Delete users with all their data. */
  users: may(account, 'users:delete'),
  /** Erase users from stored data. */
  erase: may(account, 'users:erase'),
  /** Invite users to register keys. */
  invite: may(account, 'tickets:issue'),
  /** Read the audit trail. */
  audit: may(account, 'audit:read'),
});
