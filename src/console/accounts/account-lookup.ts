import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { Query } from '../../platform/database/database.js';
import { StoredAccounts } from '../../platform/access/accounts/stored-accounts.js';
import type { StoredAccount } from '../../platform/access/accounts/stored-accounts.js';
import { normalizeName } from '../../platform/validation/values/names.js';
import { ACCOUNT_BY_NAME } from './account.statements.js';

interface Row extends Omit<StoredAccount, 'tenants'> {
  /** Their names as JSON. */
  readonly tenants: string | null;
}

/** Reads what is stored of an account, by one prepared statement. */
@Injectable()
export class AccountLookup extends StoredAccounts {
  private readonly rows: Query<Row>;

  constructor(database: Database) {
    super();
    this.rows = database.query<Row>(ACCOUNT_BY_NAME, { small: true });
  }

  async find(name: string): Promise<StoredAccount | undefined> {
    const [row] = await this.rows.all(Buffer.from(normalizeName(name), 'utf8'));
    return row && { ...row, tenants: row.tenants === null ? null : tenantsIn(row.tenants) };
  }
}

const tenantsIn = (json: string): string[] => JSON.parse(json) as string[];
