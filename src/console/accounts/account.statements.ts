import { sql } from '../../platform/database/statement.js';
import type { StoredAccount } from '../../platform/access/accounts/accounts.js';
import { tableOf } from '../../platform/database/entities/table.js';
import { ConsoleAccount } from './console-account.entity.js';

const a = tableOf(ConsoleAccount);

type AccountRow = Omit<StoredAccount, 'tenants'> & {
  /** Their names as JSON. */
  readonly tenants: string | null;
};

export const ACCOUNT_BY_NAME = sql<{ name: Buffer }, AccountRow>(
  `SELECT ${a.select('role', 'tenants', 'password', 'signIn')}
  FROM ${a.from} WHERE ${a.name} = :name`,
  { small: true },
);
