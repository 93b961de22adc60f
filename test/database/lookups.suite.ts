import { hash } from 'node:crypto';
import { RECEIPT_ERASURE } from '../../src/events/erasure/erasure.statements.js';
import { Database } from '../../src/platform/database/database.js';
import type { Step } from '../../src/platform/database/commit/unit.js';
import { newId } from '../../src/platform/database/columns.js';
import { scope } from '../../src/platform/database/scope.js';
import { DATABASES } from '../support/databases.js';
import { relyingPartyOf, rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

/** So many rows that no planner takes reading them all for the shorter way. */
const ROWS = 2000;

/** As `InvoiceLog` has TypeORM write it. */
const LAST_NUMBER = 'SELECT MAX(number) AS last FROM invoices WHERE series = ?';

describe.each(DATABASES)('lookups on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    const { id, tenantId } = relyingPartyOf(server, 'localhost');
    const blank = Buffer.alloc(32);
    const rows = Array.from({ length: ROWS }, (_, n) => n);
    await server.get(Database).commit([
      ...rows.map((n) => ({
        sql: `INSERT INTO receipts (id, at, relying_party_id, tenant_id, username, credential_hash,
            public_key, client_data, authenticator_data, signature)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        params: [
          newId(),
          n,
          id,
          tenantId,
          Buffer.from(`user-${n}`),
          blank,
          blank,
          blank,
          blank,
          blank,
        ],
      })),
      ...rows.map((n) => ({
        sql: `INSERT INTO invoices (number, series, kind, date, figures, digest, body, tenants, currency,
            total, issued_at, issued_by)
          VALUES (?, 'statement', 'statement', '2026-01-15', ?, ?, ?, '[]', 'EUR', 0, 0, ?)`,
        params: [n + 1, hash('sha256', String(n), 'buffer'), blank, blank, Buffer.from('admin')],
      })),
    ]);
  });
  afterAll(() => server.stop());

  const planOf = async ({ sql, params }: Pick<Step, 'sql' | 'params'>) => {
    const explain = on === 'SQLite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
    return JSON.stringify(await rowsOf<object>(server, `${explain} ${sql}`, ...params));
  };

  it('find the receipts of a name by an index', async () => {
    const asked = { username: Buffer.from('user-7'), until: Date.now(), limit: 100 };
    const its = scope(relyingPartyOf(server, 'localhost'));
    const plan = await planOf(RECEIPT_ERASURE.find.bind({ ...its, ...asked }));
    expect(plan).toContain('ix_receipts_user');
  });

  it('find the last number of a series without reading the others', async () => {
    const plan = await planOf({ sql: LAST_NUMBER, params: ['statement'] });
    expect(plan).toMatch(
      on === 'SQLite'
        ? /SEARCH .* USING COVERING INDEX ix_invoices_series \(series=\?\)/
        : /Select tables optimized away/,
    );
  });
});
