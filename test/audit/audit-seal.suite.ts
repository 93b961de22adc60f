import { AuditErasure } from '../../src/audit/erasure/audit-erasure.js';
import { AuditTrail } from '../../src/audit/audit-trail.js';
import { ErasedContent, erasureDetail } from '../../src/audit/erasure/erased-rows.js';
import { GENESIS, headText, seal } from '../../src/audit/chain/chain.js';
import { HEAD_RECORD } from '../../src/audit/chain/audit-head.js';
import { titleOf } from '../../src/health/setup/setup-finding.js';
import { SetupFindings } from '../../src/health/setup/setup-findings.js';
import { CREATION_RECORD } from '../../src/platform/database/migrations/1764300002000-baseline.js';
import { plainText } from '../../src/platform/pages/languages/languages.js';
import { phrase } from '../../src/platform/pages/languages/phrase.js';
import { DATABASES, EVERY_DATABASE } from '../support/databases.js';
import type { TestServer } from '../support/test-server.js';
import {
  ENTRY,
  SealedTrail,
  addTenant,
  begin,
  insertRow,
  readTrail,
  run,
  setRecord,
  verify,
} from './sealed-trail.js';

describe.each(EVERY_DATABASE)('the seal of a new database on %s', (on) => {
  let trail: SealedTrail;
  beforeEach(async () => {
    trail = await SealedTrail.onEmptyDatabase(on);
  });
  afterEach(() => trail.remove());

  const actions = async (server: TestServer) =>
    (await readTrail(server)).map(({ action }) => action);

  it('a start that creates the tables seals the audit trail with its first row, so that changes are possible', async () => {
    const server = await trail.start('one');
    expect((await addTenant(server, 'acme')).status).toBe(201);
    const [first] = await readTrail(server);
    expect(first).toMatchObject({ seq: 1, account: Buffer.from('operator'), action: 'audit.key' });
    expect(await verify(server, first?.hash)).toMatchObject({
      good: 2,
      sealedBy: trail.keyOf('one').fingerprint,
      sealed: { from: { seq: 1 }, to: { seq: 2 } },
    });
    const noted = expect.stringContaining(`audit verify: ${first?.hash.toString('hex')}`) as string;
    expect(server.logged).toContainEqual(expect.objectContaining({ context: 'Audit', msg: noted }));
    await trail.stop(server);
    const again = await trail.start('one');
    expect(await actions(again)).toEqual(['audit.key', 'tenant.create']);
  });

  it.each([
    ['two migrations', 2],
    ['the last migration', Infinity],
  ])('seals the trail although the first start was killed after %s', async (_, count) => {
    await trail.makeTables(count);
    const server = await trail.start('one');
    expect((await addTenant(server, 'acme')).status).toBe(201);
    expect(await actions(server)).toEqual(['audit.key', 'tenant.create']);
    await trail.stop(server);
    const again = await trail.start('one');
    expect(await actions(again)).toEqual(['audit.key', 'tenant.create']);
  });

  it('a start with an audit key seals no trail whose tables an earlier start created', async () => {
    await trail.stop(await trail.start());
    const server = await trail.start('one');
    expect(await addTenant(server, 'acme')).toMatchObject({
      status: 503,
      body: { errorCode: 'E0052R', reason: 'audit.notSealed' },
    });
    expect(await actions(server)).toEqual([]);
    const finding = (await server.get(SetupFindings).all()).find(({ name }) => name === 'no-seal');
    expect(plainText('en', finding?.mend ?? phrase(''))).toContain('./servicefido audit seal');
  });

  if (on === 'MariaDB') {
    it('one of two instances that start on an empty database seals its audit trail', async () => {
      const servers = await Promise.all([trail.start('one'), trail.start('one')]);
      const added = await Promise.all(servers.map((server, n) => addTenant(server, `acme-${n}`)));
      expect(added.map(({ status }) => status)).toEqual([201, 201]);
      for (const server of servers) {
        expect(await actions(server)).toEqual(['audit.key', 'tenant.create', 'tenant.create']);
      }
    });
  }
});

describe.each(DATABASES)('the seal of an audit trail on %s', (on) => {
  let trail: SealedTrail;
  beforeEach(async () => {
    trail = await SealedTrail.on(on);
  });
  afterEach(() => trail.remove());

  const LOSSES: [string, (server: TestServer) => Promise<unknown>][] = [
    ['and its record', (server) => run(server, 'DELETE FROM secrets WHERE name = ?', HEAD_RECORD)],
    ['and reset its record', (server) => setRecord(server, headText(GENESIS))],
    [
      'and its record, and marked the database as new',
      (server) =>
        run(server, 'UPDATE secrets SET name = ? WHERE name = ?', CREATION_RECORD, HEAD_RECORD),
    ],
  ];
  it.each(LOSSES)(
    'a restart begins no seal after an attacker deleted the trail %s (E0052R)',
    async (_, lose) => {
      const first = await trail.startSealed('one');
      await addTenant(first, 'acme');
      await run(first, 'DELETE FROM audit');
      await lose(first);
      await trail.stop(first);

      const server = await trail.start('one');
      expect(await addTenant(server, 'globex')).toMatchObject({
        status: 503,
        body: { errorCode: 'E0052R', reason: 'audit.notSealed' },
      });
      expect(await readTrail(server)).toEqual([]);
      expect(await verify(server)).toMatchObject({
        good: 0,
        fault: expect.stringContaining('not sealed'),
      });
      const titles = (await server.get(SetupFindings).all()).map(titleOf);
      expect(titles).toContain('The audit trail has no seal, so nothing can be changed.');
    },
  );

  it('a hash noted earlier shows that a deleted trail was begun again', async () => {
    const server = await trail.start('one');
    const noted = await begin(server);
    await run(server, 'DELETE FROM audit');
    await setRecord(server, headText(GENESIS));
    const row = await begin(server);
    expect(await verify(server, row.hash)).toMatchObject({
      good: 1,
      sealed: { from: { seq: 1 } },
    });
    expect(await verify(server, noted.hash)).toMatchObject({
      fault: 'no row has the expected hash',
    });
  });

  it('refuses an expected hash that belongs to an erased row', async () => {
    const server = await trail.start('one');
    const noted = await begin(server);
    const [row] = await readTrail(server);
    if (!row) throw new Error('There is no row.');
    // The forger writes that row 2 erased row 1, and the new content of row 1.
    const content = new ErasedContent().add({ ...row, target: Buffer.from('x') });
    const forged = seal(
      { ...ENTRY, action: 'audit.erase', detail: erasureDetail(1, content, new Map()) },
      noted,
      row.at,
    );
    await run(
      server,
      'UPDATE audit SET target = ?, salt = NULL, erased_by = 2 WHERE seq = 1',
      Buffer.from('x'),
    );
    await insertRow(server, forged);
    await setRecord(server, headText(forged));
    await begin(server);
    expect(await verify(server)).toMatchObject({ good: 3, sealed: { from: { seq: 3 } } });
    expect(await verify(server, noted.hash)).toMatchObject({
      fault: expect.stringContaining('row 1, which has the expected hash, was erased'),
    });
  });

  it('the verification accepts the hash of a sealed row that was erased', async () => {
    const server = await trail.startSealed('one');
    const place = { tenant: 'acme', relyingParty: 'acme.example' };
    await server.get(AuditTrail).append({ ...ENTRY, ...place, target: 'ada' });
    const hash = (await readTrail(server)).at(-1)?.hash;
    const erased = {
      ...place,
      tenantSince: 0,
      name: 'ada',
      pseudonym: 'erased-1',
      formerNames: new Map(),
      heldSince: new Map(),
    };
    expect(await server.get(AuditErasure).erase(erased, ENTRY)).toBe(1);
    expect(await verify(server, hash)).not.toHaveProperty('fault');
  });
});
