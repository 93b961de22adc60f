import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import { padded } from '../platform/database/padded.js';
import type { Value } from '../platform/database/commit/unit.js';
import type { Account } from '../platform/access/accounts/account.js';
import type { AuditAction } from './actions.js';
import { endOf } from './audit-query.js';
import type { AuditQuery } from './audit-query.js';
import type { AuditRow } from './audit-row.js';
import {
  CONDITIONS,
  FIRST_SINCE,
  LAST_OF_TENANT,
  rowsOfRequests,
  rowsThat,
} from './audit.statements.js';

/** A page of rows, the newest first. */
export interface AuditPage {
  readonly rows: readonly AuditRow[];
  /** The cursor of the next page; absent on the last. */
  readonly next?: number;
}

/** Who caused a change, and why, where that was said. */
export interface Author {
  readonly account: string;
  readonly reason: string | undefined;
}

/** A condition of a search, and its parameters. Its SQL is one of few texts, for few statements. */
type Condition = readonly [sql: string, ...params: Value[]];

/** Reads the audit trail for people. */
@Injectable()
export class AuditReader {
  constructor(private readonly database: Database) {}

  /**
   * The rows that match a query. An account that is limited to tenants sees only rows about these, and none
   * about former tenants of the same names.
   */
  async find({ tenants }: Account, query: AuditQuery): Promise<AuditPage> {
    const conditions = [...(await this.range(query)), ...contentOf(query)];
    const scopes: Condition[][] = tenants
      ? await Promise.all(tenants.map(async (tenant) => [await this.rowsAbout(tenant)]))
      : [[]];
    const { limit } = query;
    // One row more than the page shows whether there is another page.
    const found = await Promise.all(
      scopes.map((scope) => this.select([...conditions, ...scope], limit + 1)),
    );
    const rows = found.flat().sort((a, b) => b.seq - a.seq);
    const last = rows[limit - 1];
    return {
      rows: rows.slice(0, limit),
      ...(last && rows.length > limit ? { next: last.seq } : {}),
    };
  }

  /** Who caused changes, by request ID, which events name too; changes by the command line have none. */
  async authorsOf(requestIds: readonly string[]): Promise<ReadonlyMap<string, Author>> {
    if (requestIds.length === 0) return new Map();
    const ids = padded([...new Set(requestIds)]);
    const rows = await this.database.query<AuditRow>(rowsOfRequests(ids)).all(...ids, ...ids);
    const authors = new Map<string, Author>();
    for (const { request_id: id, account, detail, result } of rows) {
      const { reason } = JSON.parse(detail) as { reason?: string };
      if (result !== 'ok' || (authors.has(id) && reason === undefined)) continue;
      authors.set(id, { account: account.toString('utf8'), reason });
    }
    return authors;
  }

  private select(conditions: readonly Condition[], limit: number): Promise<AuditRow[]> {
    const sql = rowsThat(conditions.map(([condition]) => condition));
    const params = conditions.flatMap(([, ...values]) => values);
    return this.database.query<AuditRow>(sql).all(...params, limit);
  }

  /** The rows about the tenant that has this name, or had it last. */
  private async rowsAbout(name: string): Promise<Condition> {
    const tenant = Buffer.from(name);
    const query = this.database.query<{ seq: number }>(LAST_OF_TENANT);
    const [created] = await query.all('tenant.create' satisfies AuditAction, tenant, 'ok');
    return [CONDITIONS.tenant, tenant, created?.seq ?? 0];
  }

  /** Times never go back along the chain, so that days are ranges of row numbers. */
  private async range(query: AuditQuery): Promise<Condition[]> {
    const { from, cursor } = query;
    const [first, end] = await Promise.all([this.firstSince(from), this.firstSince(endOf(query))]);
    const lowest = from === undefined ? 0 : (first ?? Number.MAX_SAFE_INTEGER);
    const upper = Math.min(end ?? Number.MAX_SAFE_INTEGER, cursor ?? Number.MAX_SAFE_INTEGER);
    return [[CONDITIONS.range, lowest, upper]];
  }

  private async firstSince(at: number | undefined): Promise<number | undefined> {
    if (at === undefined) return undefined;
    const [row] = await this.database.query<{ seq: number | null }>(FIRST_SINCE).all(at);
    return row?.seq ?? undefined;
  }
}

function contentOf({ account, action, target, result, requestId }: AuditQuery): Condition[] {
  const conditions: Condition[] = [];
  if (account !== undefined) conditions.push([CONDITIONS.account, Buffer.from(account)]);
  if (action !== undefined) conditions.push([CONDITIONS.action, action]);
  if (result !== undefined) conditions.push([CONDITIONS.result, result]);
  if (requestId !== undefined) conditions.push([CONDITIONS.request, requestId]);
  if (target !== undefined) {
    conditions.push([CONDITIONS.target, ...prefixRange(Buffer.from(target))]);
  }
  return conditions;
}

/**
 * The range of all texts that begin with this one: no byte of UTF-8 is 255, so the last one can be raised.
 */
function prefixRange(prefix: Buffer): [Buffer, Buffer] {
  const end = Buffer.from(prefix);
  const last = end.length - 1;
  end[last] = (end[last] ?? 0) + 1;
  return [prefix, end];
}
