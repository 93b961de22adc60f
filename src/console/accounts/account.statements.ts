import { sql } from '../../platform/database/statement.js';
import type { StoredAccount } from '../../platform/access/accounts/accounts.js';
import { tableOf } from '../../platform/database/entities/table.js';
import { ConsoleKey } from '../keys/console-key.entity.js';
import { ConsoleAccount } from './console-account.entity.js';
import { ConsoleSetup } from './console-setup.entity.js';

const a = tableOf(ConsoleAccount, 'a');
const k = tableOf(ConsoleKey, 'k');
const s = tableOf(ConsoleSetup, 's');

type AccountRow = Omit<StoredAccount, 'tenants' | 'needsKey' | 'isNew'> & {
  /** Tenant names as JSON. */
  readonly tenants: string | null;
  /** 0 or 1. */
  readonly needsKey: number;
  readonly isNew: number;
};

export const ACCOUNT_BY_NAME = sql<{ name: Buffer }, AccountRow>(
  `SELECT ${a.select('role', 'tenants', 'password', 'signIn', 'needsKey')},
    (SELECT COUNT(*) FROM ${k.from} WHERE ${k.accountId} = ${a.id}) AS keyCount,
    EXISTS (SELECT 1 FROM ${s.from} WHERE ${s.accountId} = ${a.id}) AS isNew
  FROM ${a.from} WHERE ${a.name} = :name`,
  { small: true },
);
