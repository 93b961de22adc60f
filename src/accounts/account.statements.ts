import { select } from '../platform/database/statement.js';
import { computed, tableOf } from '../platform/database/entities/table.js';
import { ConsoleKey } from './keys/console-key.entity.js';
import { ConsoleAccount, ConsoleSetup } from './console-account.entity.js';

const account = tableOf(ConsoleAccount, 'a');
const key = tableOf(ConsoleKey, 'k');
const setup = tableOf(ConsoleSetup, 's');

/** The tenants are JSON. */
export const ACCOUNT_BY_NAME = select({
  ...account.pick('role', 'tenants', 'password', 'signIn', 'needsKey', 'identity', 'breakGlass'),
  keyCount: computed<number>(
    `(SELECT COUNT(*) FROM ${key.from} WHERE ${key.accountId} = ${account.id})`,
  ),
  isNew: computed<number>(
    `EXISTS (SELECT 1 FROM ${setup.from} WHERE ${setup.accountId} = ${account.id})`,
  ),
}).from<{ name: Buffer }>(`${account.from} WHERE ${account.name} = :name`, { small: true });
