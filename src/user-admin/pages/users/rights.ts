import type { Account } from '../../../platform/access/accounts/account.js';
import { may } from '../../../platform/access/permissions.js';

/** What an account may do to users; the pages show no button that would be refused. */
export const rightsOf = (account: Account) => ({
  /** Disable, enable and delete keys. */
  keys: may(account, 'keys:change'),
  /** Delete users with all they have. */
  users: may(account, 'users:delete'),
  /** Erase people from all that is kept. */
  erase: may(account, 'users:erase'),
  /** Invite people to enrol keys. */
  invite: may(account, 'tickets:issue'),
  /** Read who did what. */
  audit: may(account, 'audit:read'),
});
