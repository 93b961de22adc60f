import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { StoredAccounts, type StoredAccount } from '../../platform/access/accounts/accounts.js';
import { normalizeName } from '../../platform/validation/values/names.js';
import { ACCOUNT_BY_NAME } from './account.statements.js';

/** Reads the stored data of an account with one prepared statement. */
@Injectable()
export class DatabaseStoredAccounts extends StoredAccounts {
  constructor(private readonly database: Database) {
    super();
  }

  async find(name: string): Promise<StoredAccount | undefined> {
    const params = { name: Buffer.from(normalizeName(name), 'utf8') };
    const [row] = await this.database.query(ACCOUNT_BY_NAME, params);
    if (!row) return undefined;
    const tenants = row.tenants === null ? null : tenantsIn(row.tenants);
    return { ...row, tenants, needsKey: row.needsKey === 1, isNew: row.isNew === 1 };
  }
}

const tenantsIn = (json: string): string[] => JSON.parse(json) as string[];
