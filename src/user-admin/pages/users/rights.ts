import type { Account } from '../../../platform/access/accounts/account.js';
import { may } from '../../../platform/access/permissions.js';

/** What an account may do to users; the pages show no button that would be refused. */
export interface UserPageRights {
  /** Disable, enable and delete keys. */
  readonly keys: boolean;
  /** Delete users with all they have. */
  readonly users: boolean;
  /** Erase people from all that is kept. */
  readonly erase: boolean;
  /** Invite people to enrol keys. */
  readonly invite: boolean;
  /** Read who did what. */
  readonly audit: boolean;
}

export const rightsOf = (account: Account): UserPageRights => ({
  keys: may(account, 'keys:change'),
  users: may(account, 'users:delete'),
  erase: may(account, 'users:erase'),
  invite: may(account, 'tickets:issue'),
  audit: may(account, 'audit:read'),
});
