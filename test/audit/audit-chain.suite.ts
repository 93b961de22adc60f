import { AuditTrail } from '../../src/audit/audit-trail.js';
import type { AuditEntry } from '../../src/audit/audit-entry.js';
import { AuditRow } from '../../src/audit/audit-row.entity.js';
import { GENESIS, hashOfRow, headText } from '../../src/audit/chain/chain.js';
import { HEAD_RECORD } from '../../src/audit/chain/audit-head.js';
import { Database } from '../../src/platform/database/database.js';
import type { SqlValue } from '../../src/platform/database/commit/unit.js';
import { tableOf } from '../../src/platform/database/entities/table.js';
import { DATABASES } from '../support/databases.js';
import { rowsOf } from '../support/rows.js';
import { createServerDatabase } from '../support/server-database.js';
import { TestServer } from '../support/test-server.js';
import { readTrail, verify as verifyTrail } from './sealed-trail.js';

const ENTRY: AuditEntry = {
  account: 'anna',
  role: 'helpdesk',
  address: '192.0.2.1',
  action: 'credential.disable',
  tenant: 'acme',
  relyingParty: 'acme.example',
  target: 'älice',
  result: 'ok',
  requestId: 'x-1',
  detail: { credentials: 2 },
};
const ROWS = 10;

describe.each(DATABASES)('the chain of the audit trail on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on });
  });
  afterAll(() => server.stop());

  const run = (sql: string, ...params: SqlValue[]) =>
    server.get(Database).commit([{ sql, params, mustChange: true }]);
  const append = (entry: Partial<AuditEntry> = {}) =>
    server.get(AuditTrail).append({ ...ENTRY, ...entry });
  const verify = (expected?: Buffer) => verifyTrail(server, expected);
  const read = () => readTrail(server);

  beforeEach(async () => {
    await run('DELETE FROM secrets WHERE name = ?', HEAD_RECORD);
    await server.get(Database).commit([{ sql: 'DELETE FROM audit', params: [] }]);
    for (let n = 1; n <= ROWS; n += 1) await append({ target: `user ${n}` });
  });

  it('the verification accepts a chain as written and reports its last hash', async () => {
    const last = (await read()).at(-1);
    const { good, head, fault } = await verify();
    expect({ good, fault }).toEqual({ good: ROWS, fault: undefined });
    expect(head.hash).toEqual(last?.hash);
  });

  it('an audit row contains any text unchanged, shortened between characters', async () => {
    const target = `${'x'.repeat(1023)}é and more`;
    const account = '<b>\u0000\u202e" \' \\ \ud800 é%_ ';
    await append({ target, account, detail: { note: '\n\ud83d\ude00' } });
    const row = (await read()).at(-1);
    expect(row?.target?.toString()).toBe('x'.repeat(1023));
    expect(row?.account.toString()).toBe(account.toWellFormed());
    expect(await verify()).toMatchObject({ good: ROWS + 1 });
    expect((await verify()).fault).toBeUndefined();
  });

  it('the time of an audit row is never before that of the previous row', async () => {
    server.clock.advance(-3_600_000);
    await append();
    server.clock.advance(3_600_000);
    const [before, after] = (await read()).slice(-2);
    expect(after?.at).toBe(before?.at);
    expect((await verify()).fault).toBeUndefined();
  });

  const others: Partial<Record<keyof AuditRow, SqlValue>> = {
    at: 1,
    account: Buffer.from('mallory'),
    tenant: null,
    relyingParty: Buffer.from('ACME.example'),
    target: Buffer.from('user 5 '),
    code: 'E0043R',
    previousHash: Buffer.alloc(32),
    hash: Buffer.alloc(32),
  };
  const audit = tableOf(AuditRow);
  it.each(audit.except('seq', 'erasedBy'))(
    'the verification reports a row whose %s was altered',
    async (column) => {
      await run(`UPDATE audit SET ${audit[column]} = ? WHERE seq = 5`, others[column] ?? 'other');
      expect(await verify()).toMatchObject({ good: 4, fault: 'row 5 was altered' });
    },
  );

  it('the verification reports a row that was altered together with its hash', async () => {
    const row = (await read())[4];
    if (!row) throw new Error('There is no row.');
    const forged = { ...row, account: Buffer.from('mallory') };
    await run(
      'UPDATE audit SET account = ?, hash = ? WHERE seq = 5',
      forged.account,
      hashOfRow(forged),
    );
    expect(await verify()).toMatchObject({ good: 5, fault: 'row 6 does not follow row 5' });
  });

  it.each([
    ['the first row', 'seq = 1', { good: 0, fault: 'row 1 is missing: the next one is 2' }],
    ['a row', 'seq = 5', { good: 4, fault: 'row 5 is missing: the next one is 6' }],
    ['the last row', 'seq = 10', { good: 9, fault: 'row 10 is missing or is another' }],
    ['all rows', 'seq > 0', { good: 0, fault: 'row 10 is missing or is another' }],
  ])('the verification reports the removal of %s', async (_, where, verdict) => {
    await run(`DELETE FROM audit WHERE ${where}`);
    expect(await verify()).toMatchObject(verdict);
  });

  it('the verification reports removed last rows even after others were added', async () => {
    await run('DELETE FROM audit WHERE seq > 8');
    await append();
    expect(await verify()).toMatchObject({
      good: 8,
      fault: 'row 9 is missing: the next one is 11',
    });
  });

  it('the verification reports two rows that changed places', async () => {
    await run('UPDATE audit SET seq = 99 WHERE seq = 5');
    await run('UPDATE audit SET seq = 5 WHERE seq = 6');
    await run('UPDATE audit SET seq = 6 WHERE seq = 99');
    expect(await verify()).toMatchObject({ good: 4, fault: 'row 5 was altered' });
  });

  it('the verification reports the removal of the record of the last row', async () => {
    await run('DELETE FROM secrets WHERE name = ?', HEAD_RECORD);
    expect(await verify()).toMatchObject({
      good: ROWS,
      fault: 'the record of the last row is missing',
    });
  });

  it('rows that are appended at once to a trail without a record begin one chain', async () => {
    await run('DELETE FROM secrets WHERE name = ?', HEAD_RECORD);
    await server.get(Database).commit([{ sql: 'DELETE FROM audit', params: [] }]);
    await Promise.all(Array.from({ length: 20 }, (_, n) => append({ target: `${n}` })));
    const { good, fault } = await verify();
    expect({ good, fault }).toEqual({ good: 20, fault: undefined });
  });

  it('the verification reports a chain that was rewritten completely, by a hash noted earlier', async () => {
    const noted = (await verify()).head.hash;
    await append();
    expect((await verify(noted)).fault).toBeUndefined();

    let previous = GENESIS;
    for (const row of await read()) {
      const forged = { ...row, role: 'auditor', previousHash: previous.hash };
      const hash = hashOfRow(forged);
      const sql = 'UPDATE audit SET role = ?, previous_hash = ?, hash = ? WHERE seq = ?';
      await run(sql, forged.role, forged.previousHash, hash, row.seq);
      previous = { seq: row.seq, at: row.at, hash };
    }
    await run('UPDATE secrets SET value = ? WHERE name = ?', headText(previous), HEAD_RECORD);
    expect((await verify()).fault).toBeUndefined();
    expect(await verify(noted)).toMatchObject({ fault: 'no row has the expected hash' });
  });

  it('the log contains the number and hash of each audit row', async () => {
    const { head } = await verify();
    const line = `${head.seq} ${head.hash.toString('hex')}`;
    expect(server.logged).toContainEqual(
      expect.objectContaining({ context: 'Audit', msg: expect.stringContaining(line) }),
    );
  });

  it('the verification of 2,510 rows reports a fault on any of its pages', async () => {
    const many = Array.from({ length: 2500 }, (_, n) => append({ target: `${n}` }));
    await Promise.all(many);
    expect(await verify()).toMatchObject({ good: ROWS + 2500 });
    await run('UPDATE audit SET code = ? WHERE seq = ?', 'E0001R', 2101);
    expect(await verify()).toMatchObject({ good: 2100, fault: 'row 2101 was altered' });
  });
});

describe.each(DATABASES)('instances that append at once on %s', (on) => {
  it('two instances that append audit rows at once write one unbroken chain', async () => {
    const database = await createServerDatabase(on);
    const servers = [await TestServer.start({ database }), await TestServer.start({ database })];
    const appendMany = async (server: TestServer, name: string) => {
      for (let n = 0; n < 50; n += 1) {
        const entry = { ...ENTRY, target: `${name} ${n}` };
        await Promise.all([
          server.get(AuditTrail).append(entry),
          server.get(AuditTrail).append({ ...entry, target: `${name} ${n} again` }),
        ]);
      }
    };
    await Promise.all(servers.map((server, i) => appendMany(server, `instance ${i}`)));

    const [first] = servers;
    const verdict = await verifyTrail(first as TestServer);
    expect(verdict).toMatchObject({ good: 200 });
    expect(verdict.fault).toBeUndefined();
    const targets = await rowsOf<{ n: number }>(
      first as TestServer,
      'SELECT COUNT(DISTINCT target) AS n FROM audit',
    );
    expect(targets).toEqual([{ n: 200 }]);
    for (const server of servers) await server.stop();
    await database.remove();
  });
});
