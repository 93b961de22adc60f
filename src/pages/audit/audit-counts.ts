import { Injectable } from '@nestjs/common';
import {
  BackgroundCounts,
  PAGE_WAIT_MS,
  type MatchCount,
} from '../../platform/common/turns/background-counts.js';
import { Database } from '../../platform/database/database.js';
import type { Account } from '../../platform/access/accounts/account.js';
import { AuditReader, type AuditConditions } from '../../audit/audit-reader.js';
import { auditCountStatement } from '../../audit/audit.statements.js';

/** Rows of the trail whose matches are counted. */
const ROWS_PER_STATEMENT = 20_000;
/** Counting ends at this number of matches. */
const MAX_COUNTED = 10_000;

/** Counts the rows of a search of the trail, the newest first. */
@Injectable()
export class AuditCounts {
  constructor(
    private readonly reader: AuditReader,
    private readonly database: Database,
    private readonly counts: BackgroundCounts,
  ) {}

  /** @param domains as in `AuditReader.find` */
  of(
    account: Pick<Account, 'tenants'>,
    query: AuditConditions,
    domains?: readonly string[],
  ): Promise<MatchCount> {
    const all = { ...query, cursor: undefined, limit: undefined };
    return this.counts.of({
      key: ['audit', account.tenants ?? null, domains ?? null, all],
      most: MAX_COUNTED,
      waitMs: PAGE_WAIT_MS,
      slices: () => this.slices(account, all, domains),
    });
  }

  private async *slices(
    account: Pick<Account, 'tenants'>,
    query: AuditConditions,
    domains: readonly string[] | undefined,
  ): AsyncGenerator<number, void> {
    const newest = await this.reader.last();
    for (const search of await this.reader.searchesOf(account, query, domains)) {
      const { first: lowest = 0, end: upper = newest + 1, tenantSince = 0 } = search;
      const from = Math.max(lowest, tenantSince);
      for (let end = Math.min(upper, newest + 1); end > from; end -= ROWS_PER_STATEMENT) {
        const slice = { ...search, first: Math.max(from, end - ROWS_PER_STATEMENT), end };
        const statement = auditCountStatement(slice, this.database.kind);
        const [counted] = await this.database.query(statement, slice);
        yield counted?.n ?? 0;
      }
    }
  }
}
