import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import { padList } from '../platform/database/statement.js';
import type { LastChanges } from '../platform/pages/form-base.js';
import type { Account } from '../platform/access/accounts/account.js';
import type { AuditDetail, AuditEntry } from './audit-entry.js';
import { AuditReader } from './audit-reader.js';
import type { AuditRow } from './audit-row.entity.js';
import { LAST_SIGN_IN, ROWS_OF_REQUESTS } from './audit.statements.js';
import { partsOfDetail } from './differences.js';

/** The author of a change and, if given, the reason. */
export interface ChangeAuthor {
  readonly account: string;
  readonly reason: string | undefined;
}

/** The number of rows that are searched for the last change of a member. */
const LATEST = 100;

/** What accounts did last, as the trail says: their changes and their sign-ins. */
@Injectable()
export class AccountActivity {
  constructor(
    private readonly database: Database,
    private readonly reader: AuditReader,
  ) {}

  /**
   * Returns the last change of each member among the latest of such rows; empty if the account may not see the
   * rows.
   */
  async lastChanges(
    by: Pick<Account, 'tenants'>,
    { action, relyingParty, target }: Pick<AuditEntry, 'action' | 'relyingParty' | 'target'>,
  ): Promise<LastChanges> {
    const query = { action, result: 'ok' as const, limit: LATEST };
    const { rows } = await this.reader.find(
      by,
      target === undefined ? query : { ...query, target },
    );
    return new Map(
      rows
        .filter((row) => row.relyingParty?.toString('utf8') === relyingParty)
        .filter((row) => row.target?.toString('utf8') === target)
        .flatMap(changesIn)
        // The newest row of a member must win, so it is set last.
        .reverse(),
    );
  }

  /**
   * When accounts last signed in at the console, in milliseconds since 1970, by name; without accounts of which the
   * trail has no recent sign-in, for example because they use HTTP Basic or have changed much since.
   */
  async lastSignIns(names: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const found = await Promise.all(
      names.map(async (name) => {
        const [row] = await this.database.query(LAST_SIGN_IN, { account: Buffer.from(name) });
        return row ? [[name, row.at] as const] : [];
      }),
    );
    return new Map(found.flat());
  }

  /** Returns the authors of changes by request ID, which events also contain; changes by the command line have none. */
  async authorsOf(requestIds: readonly string[]): Promise<ReadonlyMap<string, ChangeAuthor>> {
    if (requestIds.length === 0) return new Map();
    const requests = padList([...new Set(requestIds)]).map((id) => ({ id }));
    const rows = await this.database.query(ROWS_OF_REQUESTS, { requests });
    const authors = new Map<string, ChangeAuthor>();
    for (const { requestId: id, account, detail, result } of rows) {
      const { reason } = JSON.parse(detail) as { reason?: string };
      if (result !== 'ok' || (authors.has(id) && reason === undefined)) continue;
      authors.set(id, { account: account.toString('utf8'), reason });
    }
    return authors;
  }
}

/** The members changed by a row. */
function changesIn({ account, detail }: AuditRow) {
  const by = account.toString('utf8');
  const { changes } = partsOfDetail(JSON.parse(detail) as AuditDetail);
  return changes.map(({ name, before, after }) => {
    return [name, { by, before: valueIn(before), after: valueIn(after) }] as const;
  });
}

/** `undefined` for a value that was too long for the row. */
function valueIn(fact: AuditDetail[string]): { readonly value: unknown } | undefined {
  try {
    return { value: fact === '' ? undefined : (JSON.parse(String(fact)) as unknown) };
  } catch {
    return undefined;
  }
}
