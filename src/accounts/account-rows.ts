import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import { Clock } from '../platform/common/clock.js';
import { newId } from '../platform/database/row-ids.js';
import { insertStep } from '../platform/database/commit/step-of.js';
import { isUniqueViolation } from '../platform/database/commit/unique-violation.js';
import { Database } from '../platform/database/database.js';
import { ApiError } from '../platform/errors/api-error.js';
import {
  Accounts,
  type KnownAccount,
  StoredAccounts,
  type StoredAccount,
} from '../platform/access/accounts/accounts.js';
import { normalizeName } from '../platform/validation/values/names.js';
import { PROGRAM } from '../platform/program.js';
import { LOCKED_OUT } from './keys/key.statements.js';
import { ConsoleAccount } from './console-account.entity.js';
import { ACCOUNT_BY_NAME } from './account.statements.js';

/** The rows to which the keys of accounts belong; accounts of the configuration have rows too. */
@Injectable()
export class AccountRows implements OnApplicationBootstrap {
  private readonly logger = new Logger(AccountRows.name);

  constructor(
    @InjectRepository(ConsoleAccount) private readonly rows: Repository<ConsoleAccount>,
    private readonly database: Database,
    private readonly accounts: Accounts,
    private readonly clock: Clock,
  ) {}

  /**
   * Logs accounts that cannot sign in: their rule requires a key alone, and none of their keys has user verification
   * that counts. Earlier versions accepted such keys.
   */
  async onApplicationBootstrap(): Promise<void> {
    for (const row of await this.database.query(LOCKED_OUT)) {
      const name = row.name.toString('utf8');
      if (!(await this.ownerOf({ name, role: row.role }))) continue;
      this.logger.warn(
        `The account ${JSON.stringify(name)} signs in by a key alone, and has none that verified its user ` +
          `when it was added: "${PROGRAM} account reset NAME" lets it in by a password again.`,
      );
    }
  }

  /** Finds the row of the account that has this name now. */
  async of(name: string): Promise<ConsoleAccount | undefined> {
    const row = await this.rows.findOneBy({ name: normalizeName(name) });
    const known = row && (await this.ownerOf(row));
    return known ? row : undefined;
  }

  /**
   * Finds the account of a row; `undefined` for a row that an account of the configuration shadows, and
   * for one whose account is no longer in the configuration.
   */
  async ownerOf(row: Pick<ConsoleAccount, 'name' | 'role'>): Promise<KnownAccount | undefined> {
    const known = await this.accounts.known(row.name);
    return known?.configured === (row.role === null) ? known : undefined;
  }

  /**
   * Creates the row of an account of the configuration.
   *
   * @throws ApiError E0045R if another account has a row with the same name
   */
  async add(name: string): Promise<ConsoleAccount> {
    const now = this.clock.now();
    const row: ConsoleAccount = {
      id: newId(now),
      name: normalizeName(name),
      role: null,
      tenants: null,
      password: null,
      signIn: 'password',
      needsKey: false,
      identity: null,
      breakGlass: false,
      createdAt: now,
      changedAt: now,
      createdBy: name,
    };
    try {
      await this.database.store([insertStep(this.rows, row)]);
      return row;
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      const existing = await this.of(name);
      if (existing) return existing;
      throw new ApiError('E0045R', 'account.shadowed');
    }
  }
}

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
    const tenants = row.tenants === null ? null : (JSON.parse(row.tenants) as string[]);
    return {
      ...row,
      tenants,
      needsKey: row.needsKey === 1,
      isNew: row.isNew === 1,
      breakGlass: row.breakGlass === 1,
    };
  }
}
