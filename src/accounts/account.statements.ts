import { sql } from '../platform/database/statement.js';
import type { StoredAccount } from '../platform/access/accounts/accounts.js';
import { tableOf } from '../platform/database/entities/table.js';
import { ConsoleKey } from './keys/console-key.entity.js';
import { ConsoleAccount, ConsoleSetup } from './console-account.entity.js';

const account = tableOf(ConsoleAccount, 'a');
const key = tableOf(ConsoleKey, 'k');
const setup = tableOf(ConsoleSetup, 's');

type AccountRow = Omit<StoredAccount, 'tenants' | 'needsKey' | 'isNew' | 'breakGlass'> & {
  /** Tenant names as JSON. */
  readonly tenants: string | null;
  /** 0 or 1. */
  readonly needsKey: number;
  readonly isNew: number;
  readonly breakGlass: number;
};

export const ACCOUNT_BY_NAME = sql<{ name: Buffer }, AccountRow>(
  `SELECT ${account.select('role', 'tenants', 'password', 'signIn', 'needsKey', 'identity', 'breakGlass')},
    (SELECT COUNT(*) FROM ${key.from} WHERE ${key.accountId} = ${account.id}) AS keyCount,
    EXISTS (SELECT 1 FROM ${setup.from} WHERE ${setup.accountId} = ${account.id}) AS isNew
  FROM ${account.from} WHERE ${account.name} = :name`,
  { small: true },
);
