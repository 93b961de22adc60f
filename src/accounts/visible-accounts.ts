import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, Not, type Repository } from 'typeorm';
import type { Account } from '../platform/access/accounts/account.js';
import { Accounts, type KnownAccount } from '../platform/access/accounts/accounts.js';
import { ApiError } from '../platform/errors/api-error.js';
import { foldedName } from '../platform/validation/values/folded-name.js';
import { normalizeName } from '../platform/validation/values/names.js';
import type { Tenant } from '../tenancy/tenant.entity.js';
import { coversTenants, givableTenants } from './account-permissions.js';
import { ConsoleAccount } from './console-account.entity.js';

export interface AccountsPart {
  readonly accounts: readonly KnownAccount[];
  readonly isFirst: boolean;
  /** The name with which the next page begins. */
  readonly next: string | undefined;
}

const ACCOUNTS_PER_PAGE = 50;

const byName = (a: string, b: string): number => a.localeCompare(b);

export const noSuchAccount = () => new ApiError('E0044R', 'account.unknown');

/** Finds the accounts that a caller may see: those with no permissions beyond the caller's. */
@Injectable()
export class VisibleAccounts {
  constructor(
    @InjectRepository(ConsoleAccount) private readonly rows: Repository<ConsoleAccount>,
    private readonly accounts: Accounts,
  ) {}

  /** A page of the accounts that a caller may see, by name. */
  async list(by: Account, from = ''): Promise<AccountsPart> {
    const found = await this.some(by, (name) => byName(name, from) >= 0, ACCOUNTS_PER_PAGE + 1);
    const accounts = found.slice(0, ACCOUNTS_PER_PAGE);
    const next = found[ACCOUNTS_PER_PAGE]?.account.name;
    return { accounts, isFirst: from === '', next };
  }

  /** The first accounts by name whose names contain a text, of those that a caller may see. */
  withNameLike(by: Account, text: string, limit: number): Promise<readonly KnownAccount[]> {
    const wanted = foldedName(text);
    return this.some(by, (name) => foldedName(name).includes(wanted), limit);
  }

  /**
   * @param by the calling account; absent on the command line
   * @throws ApiError E0044R if there is no such account, or it has permissions beyond those of `by`
   */
  async find(name: string, by?: Account): Promise<KnownAccount> {
    const known = await this.accounts.known(name);
    if (!known || (by && !coversTenants(by, known.account))) throw noSuchAccount();
    return known;
  }

  tenantsOf(by: Account): Promise<Tenant[]> {
    return givableTenants(this.rows.manager, by);
  }

  /** The version of an account's permissions; 0 for an account of the configuration without a row. */
  async versionOf(name: string): Promise<number> {
    const row = await this.rows.findOneBy({ name: normalizeName(name) });
    return row?.changedAt ?? 0;
  }

  private async some(
    by: Account,
    isWanted: (name: string) => boolean,
    limit: number,
  ): Promise<KnownAccount[]> {
    const rows = await this.rows.findBy({ role: Not(IsNull()) });
    const own = rows.filter(({ tenants }) => coversTenants(by, tenants ? { tenants } : {}));
    const names = new Set([...this.accounts.configured, ...own.map(({ name }) => name)]);
    const found: KnownAccount[] = [];
    for (const name of [...names].filter(isWanted).sort(byName)) {
      if (found.length === limit) break;
      const known = await this.accounts.known(name);
      if (known && coversTenants(by, known.account)) found.push(known);
    }
    return found;
  }
}
