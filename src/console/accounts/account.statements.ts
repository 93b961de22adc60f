import { tableOf } from '../../platform/database/entities/table.js';
import { ConsoleAccount } from './console-account.entity.js';

const a = tableOf(ConsoleAccount);

/** Parameters: name, as bytes. */
export const ACCOUNT_BY_NAME = `SELECT ${a.select('role', 'tenants', 'password', 'signIn')}
  FROM ${a.from} WHERE ${a.name} = ?`;
