import { DataSource } from 'typeorm';
import type { SqlValue } from '../../src/platform/database/commit/unit.js';
import { RelyingPartyCache } from '../../src/tenancy/scope/relying-party-cache.js';
import type { RelyingParty } from '../../src/tenancy/relying-party.js';
import type { TestServer } from './test-server.js';

/** Reads rows behind the server's back. */
export function rowsOf<Row>(
  server: TestServer,
  sql: string,
  ...params: readonly SqlValue[]
): Promise<Row[]> {
  return server.get(DataSource).query<Row[]>(sql, [...params]);
}

/** The stored text of a secret, which some tests use as a row to change; `undefined` if there is none. */
export async function secretOf(server: TestServer, name: string): Promise<string | undefined> {
  const sql = 'SELECT value FROM secrets WHERE name = ?';
  const [row] = await rowsOf<{ value: string }>(server, sql, name);
  return row?.value;
}

interface StoredAuditRow {
  readonly action: string;
  readonly account: Buffer;
  readonly target: Buffer | null;
  readonly result: string;
  readonly code: string | null;
  readonly detail: string;
}

/** The last row of the audit trail, or of one action, or of one result. */
export async function lastAuditRow(server: TestServer, action = '%', result = '%') {
  const [row] = await rowsOf<StoredAuditRow>(
    server,
    `SELECT action, account, target, result, code, detail FROM audit
     WHERE action LIKE ? AND result LIKE ? ORDER BY seq DESC LIMIT 1`,
    action,
    result,
  );
  if (!row) throw new Error('The audit trail has no such row.');
  return {
    ...row,
    account: row.account.toString(),
    target: row.target?.toString(),
    detail: JSON.parse(row.detail) as Record<string, unknown>,
  };
}

/** How many rows the statement `SELECT COUNT(*) AS n …` counts. */
export async function countOf(
  server: TestServer,
  sql: string,
  ...params: readonly SqlValue[]
): Promise<number> {
  const [row] = await rowsOf<{ n: number }>(server, `SELECT COUNT(*) AS n FROM ${sql}`, ...params);
  return row?.n ?? Number.NaN;
}

/** The open relying party of a domain, as the server knows it now. */
export function relyingPartyOf(server: TestServer, domain: string): RelyingParty {
  const found = server.get(RelyingPartyCache).current.find(domain);
  if (!found) throw new Error(`There is no relying party ${domain}.`);
  return found;
}

/** Users and credentials that the relying party still holds. */
export async function holdingsOf(server: TestServer, { id }: RelyingParty) {
  return {
    users: await countOf(server, 'users WHERE relying_party_id = ?', id),
    credentials: await countOf(server, 'credentials WHERE relying_party_id = ?', id),
  };
}
