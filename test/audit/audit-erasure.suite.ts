import { isDeepStrictEqual } from 'node:util';
import { jest } from '@jest/globals';
import { DataSource } from 'typeorm';
import { AuditErasure } from '../../src/audit/erasure/audit-erasure.js';
import { AuditTrail } from '../../src/audit/audit-trail.js';
import { AUDIT_ACTIONS, type AuditEntry } from '../../src/audit/audit-entry.js';
import { AuditRow } from '../../src/audit/audit-row.entity.js';
import { ROWS_AFTER } from '../../src/audit/audit.statements.js';
import { hashOfRow } from '../../src/audit/chain/chain.js';
import { AuditHead, HEAD_RECORD } from '../../src/audit/chain/audit-head.js';
import { AuditReader } from '../../src/audit/audit-reader.js';
import { Clock } from '../../src/platform/common/clock.js';
import { Database } from '../../src/platform/database/database.js';
import type { SqlValue } from '../../src/platform/database/commit/unit.js';
import { DATABASES } from '../support/databases.js';
import { countOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';
import { readTrail, verify } from './sealed-trail.js';

const PLACE = { tenant: 'acme', relyingParty: 'acme.example' };
const ENTRY: AuditEntry = {
  account: 'anna',
  role: 'helpdesk',
  address: '192.0.2.1',
  requestId: 'x-1',
  action: 'credential.disable',
  result: 'ok',
  ...PLACE,
};
const BY = { account: 'admin', role: 'admin', address: '192.0.2.9', requestId: 'x-2' };
const ADA = 'ada@example.com';

describe.each(DATABASES)('the erasure of a user from the audit trail, on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on });
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    await run('DELETE FROM secrets WHERE name = ?', HEAD_RECORD);
    await server.get(Database).commit([{ sql: 'DELETE FROM audit', params: [] }]);
  });

  const fault = async () => (await verify(server)).fault;
  const read = () => readTrail(server);

  it('an erasure removes the name from all rows and keeps the chain and other rows valid', async () => {
    await append(
      { target: ADA, detail: { credentials: 2, reason: 'Ada lost her phone' } },
      { target: 'bert', detail: { credentials: 1 } },
      { target: 'several users', detail: { users: 2, names: `bert, ${ADA}` } },
      { target: ADA, role: 'person', account: 'user', address: '198.51.100.7' },
      { target: 'bert', detail: { reason: `asked by ${ADA}` } },
      { target: 'nada@example.com' },
    );
    const hashes = (await read()).map(({ hash }) => hash);
    expect(await erase(ADA, { pseudonym: 'erased-1' })).toBe(4);
    expect((await texts()).slice(0, 6)).toEqual([
      'erased-1 {"credentials":2} 192.0.2.1',
      'bert {"credentials":1} 192.0.2.1',
      'several users {"users":2} 192.0.2.1',
      'erased-1 {} ',
      'bert {} 192.0.2.1',
      'nada@example.com {} 192.0.2.1',
    ]);
    expect(JSON.stringify(await texts())).not.toContain(`"${ADA}`);
    expect((await read()).slice(0, 6).map(({ hash }) => hash)).toEqual(hashes);
    expect(await fault()).toBeUndefined();
    await append({ target: 'later' });
    expect(await fault()).toBeUndefined();
    expect(await erase(ADA)).toBe(0);
  });

  it('an erasure removes the salt, so that the name cannot be found by trying', async () => {
    await append({ target: ADA });
    const [before] = await read();
    await erase(ADA);
    const [after] = await read();
    expect(before?.salt).toHaveLength(16);
    expect(after?.salt).toBeNull();
    if (!before) throw new Error('There is no row.');
    expect(hashOfRow({ ...before, salt: null })).not.toEqual(after?.hash);
  });

  it('an erasure includes rows of an earlier version without a salt, which remain valid', async () => {
    await append({ target: ADA });
    const [row] = await read();
    if (!row) throw new Error('There is no row.');
    const hash = hashOfRow({ ...row, salt: null });
    await run('UPDATE audit SET salt = NULL, hash = ? WHERE seq = 1', hash);
    await run(
      'UPDATE secrets SET value = ? WHERE name = ?',
      `1 ${row.at} ${hash.toString('hex')}`,
      HEAD_RECORD,
    );
    expect(await fault()).toBeUndefined();
    expect(await erase(ADA, { pseudonym: 'erased-1' })).toBe(1);
    expect((await texts())[0]).toBe('erased-1 {} 192.0.2.1');
    expect(await fault()).toBeUndefined();
  });

  it('two erasures can change the same row one after the other', async () => {
    await append(
      { target: ADA, detail: { reason: 'asked by bert' } },
      { target: 'bert', detail: { reason: `asked by ${ADA}` } },
      { target: 'bert' },
    );
    expect(await erase('bert')).toBe(3);
    expect(await fault()).toBeUndefined();
    expect(await erase(ADA)).toBe(1);
    expect((await texts()).slice(0, 3).map((text) => text.split(' ')[0])).toEqual([
      ...['erased-ada', 'erased-ber', 'erased-ber'],
    ]);
    expect(await fault()).toBeUndefined();
  });

  it('two erasures can change the same erased row at the same time', async () => {
    const detail = { reason: 'asked by carl' };
    await append({ target: ADA, detail }, { target: 'bert', detail });
    expect(await erase('carl')).toBe(2);
    const head = server.get(AuditHead);
    const readHead = head.read.bind(head);
    jest.spyOn(head, 'read').mockImplementationOnce(async () => {
      expect(await erase(ADA, { of: otherInstance() })).toBe(1);
      return readHead();
    });
    expect(await erase('bert')).toBe(1);
    expect(await fault()).toBeUndefined();
  });

  it('a verification during which a user is erased reports no fault', async () => {
    const names = ['anna', 'bert', 'cora', 'dora'];
    await append(...names.map((target) => ({ target })));
    const database = server.get(Database);
    const query = database.query.bind(database) as (...call: unknown[]) => Promise<unknown[]>;
    let isErasing = false;
    const spy = jest.spyOn(database, 'query').mockImplementation(async (...call: unknown[]) => {
      const rows = await query(...call);
      const begins =
        call[0] === ROWS_AFTER && isDeepStrictEqual(call[1], { after: 0, limit: 1000 });
      if (isErasing || !begins) return rows;
      isErasing = true;
      for (const name of names.splice(0, 1)) await erase(name);
      isErasing = false;
      return rows;
    });
    expect(await fault()).toBeUndefined();
    spy.mockRestore();
    expect(names).toEqual([]);
  });

  it('an erasure includes former names of the user, except rows of the next user of a name', async () => {
    const renamed = (target: string, name: string) => ({
      action: 'user.rename' as const,
      target,
      detail: { name, before: 'A', after: 'A' },
    });
    await append({ target: 'ada' }, renamed('ada', 'ada.lovelace'), renamed('ada.lovelace', ADA));
    await append({ target: 'ada', detail: { credentials: 1 } });
    expect(await erase(ADA, { pseudonym: 'erased-1' })).toBe(3);
    expect((await texts()).slice(0, 4).map((text) => text.split(' ')[0])).toEqual([
      ...['erased-1', 'erased-1', 'erased-1', 'ada'],
    ]);
    expect(await fault()).toBeUndefined();
  });

  it('an erasure finds 1,100 former names in two reads', async () => {
    const names = Array.from({ length: 1100 }, (_, n) => `ada-${n}`);
    await append(
      ...names.map((target, n): Partial<AuditEntry> => {
        return { action: 'user.rename', target, detail: { name: `ada-${n + 1}` } };
      }),
    );
    const find = jest.spyOn(server.get(DataSource).getRepository(AuditRow), 'find');
    const erasure = server.get(AuditErasure);
    const { formerNames } = await erasure.namesOf(PLACE, 'ada-1100');
    expect([...formerNames.keys()].sort()).toEqual(names.sort());
    expect(find).toHaveBeenCalledTimes(2);
    find.mockRestore();
  });

  it('an erasure does not change rows of another relying party', async () => {
    await append({ target: ADA, relyingParty: 'other.example' }, { target: ADA });
    await append({ target: ADA, tenant: 'other', relyingParty: undefined });
    expect(await erase(ADA)).toBe(1);
    expect((await texts())[0]).toContain(ADA);
    expect((await texts())[2]).toContain(ADA);
  });

  it('an erasure does not change rows of a former owner of the domain, and ignores its renamings', async () => {
    const other = { tenant: 'other' };
    await append(
      { ...other, target: ADA },
      { ...other, action: 'user.rename', target: 'bert', detail: { name: ADA } },
      { target: ADA },
      { target: 'bert' },
    );
    expect(await erase(ADA)).toBe(1);
    const targets = (await read()).map(({ target }) => target?.toString());
    expect(targets.slice(0, 4)).toEqual([ADA, 'bert', 'erased-ada', 'bert']);
  });

  it('an erasure changes a row of no tenant only if it is refused, or exports users of all tenants', async () => {
    const none = { target: ADA, tenant: undefined };
    const nowhere = { ...none, relyingParty: undefined };
    await append(none, nowhere);
    const refused = { result: 'refused', detail: { refusal: 'user.unknown' } } as const;
    await append({ ...none, ...refused }, { ...nowhere, ...refused });
    await append({ ...nowhere, action: 'users.export' });
    expect(await erase(ADA)).toBe(3);
    const targets = (await read()).map(({ target }) => target?.toString());
    expect(targets.slice(0, 5)).toEqual([ADA, ADA, 'erased-ada', 'erased-ada', 'erased-ada']);
    expect(await fault()).toBeUndefined();
  });

  it('an erasure changes only rows of actions that concern users', async () => {
    const detail = { reason: `asked by ${ADA}` };
    const rows = AUDIT_ACTIONS.flatMap((action) => [
      { action, target: ADA },
      { action, detail },
    ]);
    await append(...rows, ...rows.map((row) => ({ ...row, result: 'refused' as const })));
    // The rows of its tenant's creation and removal are among them.
    const user = { ...PLACE, name: ADA, pseudonym: 'erased-1', tenantSince: 0 };
    const noNames = { formerNames: new Map(), heldSince: new Map() };
    await server.get(AuditErasure).erase({ ...user, ...noNames }, BY);
    const named = (await read()).filter((row) => row.erasedBy === null);
    const kinds = new Set(named.map(({ action }) => action.split('.')[0]));
    expect([...kinds]).toEqual([
      'aaguid',
      'account',
      'application-key',
      'audit',
      'break-glass',
      'console',
      'database',
      'invoice',
      'mds',
      'oidc-client',
      'oidc-keys',
      'relying-party',
      'secrets',
      'signing-key',
      'tenant',
      'webhook',
    ]);
    const left = AUDIT_ACTIONS.filter((action) => kinds.has(action.split('.')[0] ?? ''));
    // Four rows of each, and the erasure's own.
    expect(named).toHaveLength(4 * left.length + 1);
  });

  it('an erasure of 1,500 rows restores no name that is erased meanwhile', async () => {
    const detail = { reason: 'asked by bert' };
    await Promise.all(Array.from({ length: 1500 }, () => append({ target: ADA, detail })));
    const database = server.get(Database);
    const query = database.query.bind(database) as (...call: unknown[]) => Promise<unknown[]>;
    let reads = 0;
    const spy = jest.spyOn(database, 'query').mockImplementation(async (...call: unknown[]) => {
      const rows = await query(...call);
      const begins =
        call[0] === ROWS_AFTER && isDeepStrictEqual(call[1], { after: 0, limit: 1000 });
      reads += begins ? 1 : 0;
      if (begins && reads === 1) expect(await erase('bert', { of: otherInstance() })).toBe(1500);
      return rows;
    });
    expect(await erase(ADA)).toBe(1500);
    spy.mockRestore();
    // Two units of bert, two of Ada, and the one that had to begin again.
    expect(reads).toBe(5);
    expect(await countOf(server, "audit WHERE action = 'audit.erase'")).toBe(4);
    expect(await countOf(server, "audit WHERE detail LIKE '%bert%'")).toBe(0);
    expect(await fault()).toBeUndefined();
  });

  it('erasures follow one another, and tenants take turns', async () => {
    const database = server.get(Database);
    const query = database.query.bind(database) as (...call: unknown[]) => Promise<unknown[]>;
    let reading = 0;
    let most = 0;
    const spy = jest.spyOn(database, 'query').mockImplementation(async (...call: unknown[]) => {
      if (call[0] !== ROWS_AFTER) return query(...call);
      reading += 1;
      most = Math.max(most, reading);
      const rows = await query(...call);
      reading -= 1;
      return rows;
    });
    const names = ['anna', 'bert', 'cora', 'dora'];
    await append(...names.map((target) => ({ target })));
    await append({ target: 'emil', tenant: 'globex', relyingParty: 'globex.example' });
    const order: string[] = [];
    const eraseAt = async (name: string, place: typeof PLACE) => {
      const user = { ...place, name, pseudonym: `erased-${name}`, tenantSince: 0 };
      const noNames = { formerNames: new Map(), heldSince: new Map() };
      expect(await server.get(AuditErasure).erase({ ...user, ...noNames }, BY)).toBe(1);
      order.push(name);
    };
    const globex = { tenant: 'globex', relyingParty: 'globex.example' };
    await Promise.all([...names.map((name) => eraseAt(name, PLACE)), eraseAt('emil', globex)]);
    spy.mockRestore();
    expect(most).toBe(1);
    expect(order).toEqual(['anna', 'bert', 'emil', 'cora', 'dora']);
    expect(await fault()).toBeUndefined();
  });

  it('an erasure includes rows that are written while the earlier ones are erased', async () => {
    await append({ target: ADA });
    const head = server.get(AuditHead);
    const readHead = head.read.bind(head);
    jest.spyOn(head, 'read').mockImplementationOnce(async () => {
      await append({ target: ADA });
      return readHead();
    });
    expect(await erase(ADA)).toBe(2);
    expect(await fault()).toBeUndefined();
  });

  it('an erasure ends although rows about other users are written all the time', async () => {
    await append({ target: ADA });
    const head = server.get(AuditHead);
    let others = 0;
    let isAppending = false;
    const spy = jest.spyOn(head, 'read').mockImplementation(async () => {
      const found = await AuditHead.prototype.read.call(head);
      if (isAppending || others === 30) return found;
      isAppending = true;
      others += 1;
      await append({ target: 'bert' });
      isAppending = false;
      return found;
    });
    expect(await erase(ADA)).toBe(1);
    spy.mockRestore();
    expect(others).toBe(30);
    expect(await fault()).toBeUndefined();
  });

  describe('a row that was altered', () => {
    it.each([
      ['was changed to be about the user', 'UPDATE audit SET target = ? WHERE seq = 2', 2],
      [
        'is about the user and has another account',
        "UPDATE audit SET account = 'x' WHERE target = ?",
        1,
      ],
      [
        'is about the user and has another detail',
        "UPDATE audit SET detail = '{}' WHERE target = ?",
        1,
      ],
      [
        'was changed to be about the user and lost its salt',
        'UPDATE audit SET target = ?, salt = NULL WHERE seq = 3',
        3,
      ],
    ])('a row that %s is not erased and remains faulty (E0052R)', async (_, sql, row) => {
      await append(
        { target: ADA, detail: { reason: 'phone lost' } },
        { target: 'bert' },
        { target: 'carl' },
      );
      await run(sql, Buffer.from(ADA));
      const found = await fault();
      expect(found).toBe(`row ${row} was altered`);
      const before = await read();
      await expect(erase(ADA)).rejects.toMatchObject({ code: 'E0052R' });
      await expect(erase(ADA)).rejects.toThrow(`Row ${row} `);
      expect(await read()).toEqual(before);
      expect(await fault()).toBe(found);
    });

    it.each([1, 2])(
      'an altered row with a matching hash, row %i of 2, is not erased and remains faulty',
      async (n) => {
        await append({ target: 'bert' }, { target: 'carl' });
        const row = (await read())[n - 1];
        if (!row) throw new Error('There is no row.');
        const forged = { ...row, target: Buffer.from(ADA) };
        const sql = 'UPDATE audit SET target = ?, hash = ? WHERE seq = ?';
        await run(sql, forged.target, hashOfRow(forged), n);
        const found = await fault();
        const before = await read();
        await expect(erase(ADA)).rejects.toThrow(`Row ${n} `);
        expect(await read()).toEqual(before);
        expect(await fault()).toBe(found);
        expect(found).toBeDefined();
      },
    );

    it('a row that was altered after its erasure is not erased again for another user', async () => {
      await append({ target: ADA, detail: { reason: 'asked by bert' } }, { target: 'bert' });
      expect(await erase(ADA)).toBe(1);
      await run("UPDATE audit SET target = 'bert' WHERE seq = 1");
      expect(await fault()).toMatch(/^row 1, /);
      const before = await read();
      await expect(erase('bert')).rejects.toThrow('Row 1 ');
      expect(await read()).toEqual(before);
      expect(await fault()).toMatch(/^row 1, /);
    });

    it('a row that was altered and falsely marked as erased is not erased', async () => {
      await append({ target: ADA }, { target: 'bert' }, { target: 'carl' });
      expect(await erase(ADA)).toBe(1);
      await run("UPDATE audit SET target = 'dora', erased_by = 4 WHERE seq = 2");
      await expect(erase('dora')).rejects.toThrow('Row 2 ');
      expect(await fault()).toBeDefined();
    });

    it('an altered row does not prevent the erasure of another user’s rows', async () => {
      await append({ target: ADA }, { target: 'bert' });
      await run("UPDATE audit SET role = 'admin' WHERE seq = 2");
      expect(await erase(ADA)).toBe(1);
      expect(await fault()).toBe('row 2 was altered');
    });
  });

  describe('an attacker with only the database', () => {
    beforeEach(async () => {
      await append({ target: ADA }, { target: 'bert' }, { target: 'carl' });
      await erase(ADA);
    });

    it.each([
      ['alters an erased row', `UPDATE audit SET role = 'admin' WHERE seq = 1`, /^row 1, /],
      [
        'puts the name back',
        `UPDATE audit SET target = 'ada@example.com' WHERE seq = 1`,
        /^row 1, /,
      ],
      [
        'takes the mark away',
        'UPDATE audit SET erased_by = NULL WHERE seq = 1',
        /^row 1 was altered/,
      ],
      ['gives the mark to another row', 'UPDATE audit SET erased_by = 4 WHERE seq = 2', /^row 1, /],
      [
        'names a row that does not exist in a mark',
        'UPDATE audit SET erased_by = 9 WHERE seq = 2',
        /^row 2, .* row 9/,
      ],
      [
        'marks a row by an earlier one',
        'UPDATE audit SET erased_by = 1 WHERE seq = 2',
        /^row 2 was altered/,
      ],
    ])('the verification reports an attacker who %s', async (_, sql, found) => {
      expect(await fault()).toBeUndefined();
      await run(sql);
      expect(await fault()).toMatch(found);
    });
  });

  function run(sql: string, ...params: SqlValue[]) {
    return server.get(Database).commit([{ sql, params, mustChange: true }]);
  }

  function append(...entries: Partial<AuditEntry>[]) {
    return entries.reduce<Promise<void>>(
      (before, entry) => before.then(() => server.get(AuditTrail).append({ ...ENTRY, ...entry })),
      Promise.resolve(),
    );
  }

  async function texts() {
    return (await read()).map(
      ({ target, detail, address }) => `${target?.toString()} ${detail} ${address}`,
    );
  }

  async function erase(
    name: string,
    { pseudonym = `erased-${name.slice(0, 3)}`, of = server.get(AuditErasure) } = {},
  ) {
    const names = await of.namesOf(PLACE, name);
    return of.erase({ ...PLACE, name, pseudonym, ...names }, BY);
  }

  /** The erasure of another process over the same database, which waits for none of the server's. */
  function otherInstance(): AuditErasure {
    return new AuditErasure(
      server.get(Database),
      server.get(AuditHead),
      server.get(AuditTrail),
      server.get(Clock),
      server.get(AuditReader),
      server.get(DataSource).getRepository(AuditRow),
    );
  }
});
