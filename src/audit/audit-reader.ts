import { Injectable } from '@nestjs/common';
import { DAY_MS } from '../platform/common/durations.js';
import { Database } from '../platform/database/database.js';
import { startOfDayIn } from '../platform/validation/values/moment.js';
import type { Account } from '../platform/access/accounts/account.js';
import type { AuditAction } from './audit-entry.js';
import type { AuditQuery } from './audit.dto.js';
import type { AuditRow } from './audit-row.entity.js';
import {
  FIRST_SINCE,
  LAST_OF_TENANT,
  LAST_ROW,
  OPEN_TENANT,
  ROWS_AFTER,
  ROWS_OF_TENANT_AFTER,
  auditSearchStatement,
  type AuditSearch,
} from './audit.statements.js';

interface AuditPage {
  readonly rows: readonly AuditRow[];
  /** The cursor of the next page; absent on the last. */
  readonly next?: number;
}

/** The conditions of a query; with a cursor, those of a page. */
export type AuditConditions = Omit<AuditQuery, 'cursor' | 'limit'> & {
  readonly cursor?: number | undefined;
};

export interface ForwardAuditQuery {
  /** The number of the row that was read last; 0 at the beginning. */
  readonly seq: number;
  readonly limit: number;
  /** Limits the rows to those about these relying parties; absent for all. */
  readonly domains?: readonly string[] | undefined;
}

export interface ForwardAuditPage {
  /** Oldest first. */
  readonly rows: readonly AuditRow[];
  /** The number up to which all rows have been read. */
  readonly last: number;
  /** Whether there may be more rows at once. */
  readonly more: boolean;
}

@Injectable()
export class AuditReader {
  constructor(private readonly database: Database) {}

  /**
   * Finds the rows that match a query. An account limited to tenants sees only rows about these, and none about
   * former tenants with the same names.
   *
   * @param domains limits the rows to those about these relying parties
   */
  async find(
    account: Pick<Account, 'tenants'>,
    query: AuditQuery,
    domains?: readonly string[],
  ): Promise<AuditPage> {
    const searches = await this.searchesOf(account, query, domains);
    // One row more than the page reveals whether there is another page.
    const limit = query.limit + 1;
    const found = await Promise.all(
      searches.map((search) =>
        this.database.query(auditSearchStatement(search, this.database.kind), {
          ...search,
          limit,
        }),
      ),
    );
    const rows = found.flat().sort((a, b) => b.seq - a.seq);
    const last = rows[query.limit - 1];
    return {
      rows: rows.slice(0, query.limit),
      ...(last && rows.length > query.limit ? { next: last.seq } : {}),
    };
  }

  /** The searches whose rows together match a query; no row is in two of them. */
  async searchesOf(
    { tenants }: Pick<Account, 'tenants'>,
    query: AuditConditions,
    domains?: readonly string[],
  ): Promise<readonly AuditSearch[]> {
    const search = { ...(await this.range(query)), ...contentOf(query) };
    const rowsAbout = async (name: string) => ({
      tenant: Buffer.from(name),
      tenantSince: await this.tenantSince(name),
    });
    const ofTenants = tenants ? await Promise.all(tenants.map(rowsAbout)) : [{}];
    const about = domains?.map((domain) => ({ relyingParty: Buffer.from(domain) })) ?? [{}];
    // Each reads its rows from an index in order.
    return ofTenants.flatMap((tenant) => about.map((rp) => ({ ...search, ...tenant, ...rp })));
  }

  /** Finds the rows after one, oldest first, that the account may see as in `find`. A page may be short. */
  async after(
    { tenants }: Pick<Account, 'tenants'>,
    { seq, limit, domains }: ForwardAuditQuery,
  ): Promise<ForwardAuditPage> {
    // Rows get their numbers in the order of their commits, so all rows up to this one can be read.
    const newest = await this.last();
    const found = tenants
      ? await Promise.all(tenants.map((name) => this.rowsOfTenantAfter(name, { seq, limit })))
      : [await this.database.query(ROWS_AFTER, { after: seq, limit })];
    const rows = found
      .flat()
      // Each tenant has its own query, so a row of one may be found while an earlier row of another is missing.
      .filter((row) => row.seq <= newest)
      .sort((a, b) => a.seq - b.seq)
      .slice(0, limit);
    const more = rows.length === limit;
    const last = more ? (rows.at(-1)?.seq ?? newest) : newest;
    const isAbout = ({ relyingParty }: AuditRow) =>
      domains === undefined || domains.includes(relyingParty?.toString('utf8') ?? '');
    return { rows: rows.filter(isAbout), last: Math.max(seq, last), more };
  }

  /** The number of the newest row; 0 before the first. */
  async last(): Promise<number> {
    const [row] = await this.database.query(LAST_ROW);
    return row?.seq ?? 0;
  }

  private async rowsOfTenantAfter(
    name: string,
    { seq, limit }: ForwardAuditQuery,
  ): Promise<AuditRow[]> {
    const after = Math.max(seq, (await this.tenantSince(name)) - 1);
    const params = { tenant: Buffer.from(name), after, limit };
    return this.database.query(ROWS_OF_TENANT_AFTER[this.database.kind], params);
  }

  /**
   * The number of the first row about the tenant that has this name, or had it last. A start creates tenant `default`
   * without a row, so the removal of the former one counts too.
   */
  async tenantSince(name: string): Promise<number> {
    const [created, removed] = await Promise.all([
      this.lastOfTenant('tenant.create', name),
      this.lastOfTenant('tenant.remove', name),
    ]);
    if (removed < created) return created;
    const isOpen = (await this.database.query(OPEN_TENANT, { name })).length > 0;
    return isOpen ? removed + 1 : created;
  }

  private async lastOfTenant(action: AuditAction, name: string): Promise<number> {
    const params = { action, tenant: Buffer.from(name), result: 'ok' };
    const [row] = await this.database.query(LAST_OF_TENANT, params);
    return row?.seq ?? 0;
  }

  /** Times never decrease along the chain, so days are ranges of row numbers. */
  private async range({ from, to, zone, cursor }: AuditConditions): Promise<AuditSearch> {
    const [first, end] = await Promise.all([
      this.firstSince(from === undefined ? undefined : startOfDayIn(from, zone)),
      this.firstSince(to === undefined ? undefined : startOfDayIn(to + DAY_MS, zone)),
    ]);
    const lowest = from === undefined ? 0 : (first ?? Number.MAX_SAFE_INTEGER);
    const upper = Math.min(end ?? Number.MAX_SAFE_INTEGER, cursor ?? Number.MAX_SAFE_INTEGER);
    return { first: lowest, end: upper };
  }

  private async firstSince(at: number | undefined): Promise<number | undefined> {
    if (at === undefined) return undefined;
    const [row] = await this.database.query(FIRST_SINCE, { at });
    return row?.seq ?? undefined;
  }
}

const contentOf = ({
  account,
  action,
  target,
  result,
  requestId,
}: AuditConditions): AuditSearch => ({
  ...(account !== undefined && { account: Buffer.from(account) }),
  ...(action !== undefined && { action }),
  ...(result !== undefined && { result }),
  ...(requestId !== undefined && { requestId }),
  ...(target !== undefined && prefixRange(Buffer.from(target))),
});

/** The range of all texts with this prefix: no byte of UTF-8 is 255, so the last one can be incremented. */
function prefixRange(prefix: Buffer) {
  const end = Buffer.from(prefix);
  const last = end.length - 1;
  end[last] = (end[last] ?? 0) + 1;
  return { target: prefix, targetEnd: end };
}
