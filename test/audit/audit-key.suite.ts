import { AuditSealing } from '../../src/audit/chain/audit-sealing.js';
import { GENESIS, hashOfRow, headText } from '../../src/audit/chain/chain.js';
import { HEAD_RECORD, parseHeadRecord } from '../../src/audit/chain/audit-head.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { rowsOf, secretOf } from '../support/rows.js';
import type { TestServer } from '../support/test-server.js';
import {
  SealedTrail,
  addTenant,
  insertRow,
  readTrail,
  run,
  setRecord,
  verify,
} from './sealed-trail.js';

describe.each(DATABASES)('the audit key on %s', (on) => {
  let trail: SealedTrail;
  beforeEach(async () => {
    trail = await SealedTrail.on(on);
  });
  afterEach(() => trail.remove());

  const record = async (server: TestServer) => (await secretOf(server, HEAD_RECORD)) ?? '';

  /** What an attacker can do who writes to the database and knows this program: everything but sealing. */
  async function rewrite(server: TestServer): Promise<string> {
    let last = GENESIS;
    for (const row of await readTrail(server)) {
      const forged = { ...row, account: Buffer.from('mallory'), previousHash: last.hash };
      const hash = hashOfRow(forged);
      const sql = 'UPDATE audit SET account = ?, previous_hash = ?, hash = ? WHERE seq = ?';
      await run(server, sql, forged.account, forged.previousHash, hash, row.seq);
      last = { seq: row.seq, at: row.at, hash };
    }
    return headText(last);
  }

  it('an audit key seals an existing trail from a row that records this', async () => {
    const before = await trail.start();
    await addTenant(before, 'acme');
    expect(await verify(before)).not.toHaveProperty('sealedBy');
    await trail.stop(before);

    const server = await trail.startSealed('one');
    await addTenant(server, 'globex');
    const rows = await readTrail(server);
    expect(rows.map(({ action }) => action)).toEqual([
      'tenant.create',
      'audit.key',
      'tenant.create',
    ]);
    const { fingerprint } = trail.keyOf('one');
    expect(rows[1]).toMatchObject({ target: Buffer.from(fingerprint), detail: '{}' });
    expect(await verify(server)).toMatchObject({
      good: 3,
      sealedBy: fingerprint,
      sealed: { from: { seq: 2 }, to: { seq: 3 } },
    });
  });

  it('a seal is recorded in one row, even if four calls begin it at once', async () => {
    const server = await trail.start('one');
    const sealings = [server, await trail.start('one')].map((one) => one.get(AuditSealing));
    const begun = await Promise.all([...sealings, ...sealings].map((one) => one.begin()));
    expect(begun.filter((one) => one !== undefined)).toHaveLength(1);
    expect((await readTrail(server)).map(({ action }) => action)).toEqual(['audit.key']);
    expect(await verify(server)).toMatchObject({ good: 1, sealed: { to: { seq: 1 } } });
  });

  const forgeries: [string, (text: string, sealed: string) => string, string][] = [
    [
      'with the seal that was there',
      (text, sealed) => sealedLike(text, sealed),
      'does not match the key',
    ],
    [
      'with a seal made up',
      (text) => `${text} FINGERPRINT ${'0'.repeat(64)}`,
      'does not match the key',
    ],
    ['without a seal', (text) => text, 'not sealed'],
  ];
  const sealedLike = (text: string, sealed: string) =>
    [text, ...sealed.split(' ').slice(3)].join(' ');

  it.each(forgeries)(
    'the verification reports a trail that was rewritten completely, %s',
    async (_, forge, fault) => {
      const server = await trail.startSealed('one');
      await addTenant(server, 'acme');
      const sealed = await record(server);
      const { fingerprint } = trail.keyOf('one');
      await setRecord(
        server,
        forge(await rewrite(server), sealed).replace('FINGERPRINT', fingerprint),
      );
      expect(await verify(server)).toMatchObject({
        good: 2,
        fault: expect.stringContaining(fault),
      });

      // Nor does a running instance put its seal below what others wrote.
      expect(await addTenant(server, 'globex')).toMatchObject({
        status: 503,
        body: { errorCode: 'E0052R' },
      });
      expect(await readTrail(server)).toHaveLength(2);
    },
  );

  it('the verification reports the removal of the last row, even with a reset record', async () => {
    const server = await trail.startSealed('one');
    await addTenant(server, 'acme');
    await addTenant(server, 'globex');
    const [, second] = await readTrail(server);
    if (!second) throw new Error('There is no row.');
    await run(server, 'DELETE FROM audit WHERE seq = 3');
    await setRecord(server, sealedLike(headText(second), await record(server)));
    expect(await verify(server)).toMatchObject({
      good: 2,
      fault: expect.stringContaining('does not match the key'),
    });
  });

  it('the verification reports a row that was inserted after the last one', async () => {
    const server = await trail.startSealed('one');
    await addTenant(server, 'acme');
    const last = (await readTrail(server)).at(-1);
    if (!last) throw new Error('There is no row.');
    const forged = { ...last, seq: last.seq + 1, previousHash: last.hash };
    const row = { ...forged, hash: hashOfRow(forged) };
    await insertRow(server, row);
    expect(await verify(server)).toMatchObject({
      fault: 'row 3 was inserted: the record of the last row says 2',
    });
  });

  it('refuses to start a sealed trail with another audit key or none', async () => {
    const server = await trail.startSealed('one');
    const { fingerprint } = trail.keyOf('one');
    await expect(trail.start('two')).rejects.toThrow(
      `--audit-key-file: the audit trail is sealed with the key ${fingerprint}, and this one is ${trail.keyOf('two').fingerprint}`,
    );
    await expect(trail.start()).rejects.toThrow(
      `--audit-key-file: the audit trail is sealed with the key ${fingerprint}, which is needed`,
    );
    expect(await readTrail(server)).toHaveLength(1);
  });

  it('an instance without the audit key refuses changes, but no sign-in (E0052R)', async () => {
    const without = await trail.start();
    const ann = new FidoClient(without.url);
    await ann.register('ann');
    await addTenant(without, 'acme');
    const server = await trail.startSealed('one');

    expect(await addTenant(without, 'globex')).toMatchObject({
      status: 503,
      body: { errorCode: 'E0052R', errorMessage: expect.stringContaining('audit trail') },
    });
    const tenants = await rowsOf(server, "SELECT name FROM tenants WHERE name = 'globex'");
    expect(tenants).toEqual([]);
    expect((await ann.signIn('ann')).status).toBe(200);
    // Nest's log of one process is that of the server started last.
    expect(server.logged).toContainEqual(
      expect.objectContaining({
        context: 'Audit',
        msg: expect.stringContaining('which is needed'),
      }),
    );

    expect((await addTenant(server, 'globex')).status).toBe(201);
    expect(await verify(server)).toMatchObject({ good: 3, sealed: { to: { seq: 3 } } });
    // Without the key only numbers and hashes are checked, and the verdict says so.
    expect(await verify(without)).not.toHaveProperty('sealed');
    expect(await verify(without)).toMatchObject({
      good: 3,
      sealedBy: trail.keyOf('one').fingerprint,
    });
  });

  it('an earlier version cannot write to a sealed trail', async () => {
    const server = await trail.startSealed('one');
    const text = await record(server);
    const { head } = parseHeadRecord(text);
    // What earlier versions do: they know the first three words, and compare them with the whole.
    const moved = run(
      server,
      'UPDATE secrets SET value = ? WHERE name = ? AND value = ?',
      headText({ ...head, seq: head.seq + 1 }),
      HEAD_RECORD,
      headText(head),
    );
    expect(await moved).toBe(false);
    expect(await record(server)).toBe(text);
  });

  it('an audit key can be replaced, and each key proves the rows that it sealed', async () => {
    const server = await trail.startSealed('one');
    await addTenant(server, 'acme');
    await server.get(AuditSealing).rekey(trail.keyOf('two'));
    expect((await addTenant(server, 'globex')).status).toBe(503);
    const next = await trail.start('two');
    expect((await addTenant(next, 'globex')).status).toBe(201);

    const one = trail.keyOf('one').fingerprint;
    const two = trail.keyOf('two').fingerprint;
    const change = (await readTrail(next))[2];
    expect(change).toMatchObject({ action: 'audit.key', target: Buffer.from(two) });
    expect(JSON.parse(change?.detail ?? '')).toMatchObject({ before: one });
    expect(await verify(next)).toMatchObject({
      good: 4,
      sealedBy: two,
      sealed: { from: { seq: 3 }, to: { seq: 4 } },
    });
    expect(await verify(server)).toMatchObject({
      good: 4,
      sealedBy: two,
      sealed: { from: { seq: 1 }, to: { seq: 2 } },
    });
  });

  it('the verification with the old key reports a key that was replaced without it', async () => {
    const server = await trail.startSealed('one');
    await addTenant(server, 'acme');
    await setRecord(server, headText(parseHeadRecord(await record(server)).head));
    const { removed } = (await (await trail.start('two')).get(AuditSealing).begin()) ?? {};
    expect(removed).toMatchObject({ seq: 1 });
    expect(await verify(server)).toMatchObject({
      fault: `the audit trail is sealed with the key ${trail.keyOf('two').fingerprint}, and this one is ${trail.keyOf('one').fingerprint}`,
    });
  });

  it('an audit key can be removed, and still proves the rows that it sealed', async () => {
    const server = await trail.startSealed('one');
    await server.get(AuditSealing).rekey(null);
    const without = await trail.start();
    expect((await addTenant(without, 'acme')).status).toBe(201);
    expect((await readTrail(without)).map(({ action }) => action)).toEqual([
      'audit.key',
      'audit.key',
      'tenant.create',
    ]);
    expect(await verify(without)).not.toHaveProperty('sealedBy');
    expect(await verify(server)).toMatchObject({ sealed: { from: { seq: 1 }, to: { seq: 1 } } });
  });
});
