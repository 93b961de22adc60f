import type { Account } from '../../security/account.js';

/** What an account may do to users; the pages show no button that would be refused. */
export interface Rights {
  /** Disable, enable and delete keys. */
  readonly keys: boolean;
  /** Delete users with all they have. */
  readonly users: boolean;
  /** Read who did what. */
  readonly audit: boolean;
}

export const rightsOf = ({ role }: Account): Rights => ({
  keys: role === 'admin' || role === 'helpdesk',
  users: role === 'admin',
  audit: role === 'admin' || role === 'auditor',
});
