import { jest } from '@jest/globals';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { DataSource } from 'typeorm';
import { Database } from '../../src/platform/database/database.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { SignInWriter } from '../../src/users/credentials/sign-in-writer.js';
import { FACTS_BY_CREATION } from '../../src/users/list/user-list.statements.js';
import { UserChanges } from '../../src/users/user-changes.js';
import { UserRenaming } from '../../src/users/user-renaming.js';
import { ExportReader } from '../../src/users/transfer/export-reader.js';
import { UsersByName } from '../../src/users/users-by-name.js';
import { UserErasure } from '../../src/user-admin/manage-users/user-erasure.js';
import { AdminClient } from '../support/admin-client.js';
import { erasureCall } from '../support/changing-call.js';
import { beforeNextRow } from '../support/before-next-row.js';
import { bearer } from '../support/application-keys.js';
import { DATABASES } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { describeWith } from '../support/needs.js';
import { settle } from '../support/settled-users.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { countOf, relyingPartyOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

const NEVER = { sql: 'DELETE FROM users WHERE 1 = 0', params: [], mustChange: true };

describe.each(DATABASES)('a change beside others, on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on });
  });
  afterAll(() => server.stop());

  it('fails if other changes are faster each time (E0052R)', async () => {
    await new FidoClient(server.url).register('anna');
    const rp = relyingPartyOf(server, 'localhost');
    const [anna] = await server.get(UsersByName).find(rp, ['anna']);
    if (!anna) throw new Error('There is no user.');
    const before = await server.snapshot();
    const context = { requestId: 'r', furtherSteps: () => [NEVER] };
    for (const kind of ['delete-user', 'delete', 'disable'] as const) {
      const change = kind === 'disable' ? { kind, by: {} } : { kind };
      const changed = server.get(UserChanges).apply(change, anna, context);
      await expect(changed).rejects.toMatchObject({ code: 'E0052R' });
    }
    expect(await server.snapshot()).toBe(before);
  });

  it('fails as an erasure whose user is renamed and registers a key during the call (E0052R)', async () => {
    await new FidoClient(server.url).register('berta');
    const rp = relyingPartyOf(server, 'localhost');
    const by = erasureCall(server);
    const users = server.get(UsersByName);
    const find = users.find.bind(users);
    jest.spyOn(users, 'find').mockImplementationOnce(async (...asked) => {
      const found = await find(...asked);
      await new FidoClient(server.url).register('berta');
      const names = { username: 'berta.b', displayName: 'Berta' };
      const row = { ...by, action: 'user.rename', result: 'ok' } as const;
      const renamed = await server.get(UserRenaming).change(rp, 'berta', names, () => row);
      expect(renamed).toMatchObject({ outcome: 'changed' });
      return found;
    });
    const erasure = server.get(UserErasure);
    await expect(erasure.erase(rp, 'berta', by)).rejects.toMatchObject({ code: 'E0052R' });
    expect(await erasure.erase(rp, 'berta.b', by)).toMatchObject({ users: 1, credentials: 2 });
  });

  it('deletes no user who was renamed a moment before', async () => {
    await new FidoClient(server.url).register('carla');
    const rp = relyingPartyOf(server, 'localhost');
    const by = { account: 'a', role: 'admin', address: '', requestId: 'r' } as const;
    beforeNextRow(server, async () => {
      const row = { ...by, action: 'user.rename', result: 'ok' } as const;
      await server.get(UserRenaming).change(rp, 'carla', { username: 'carla.c' }, () => row);
    });
    const admin = new AdminClient(server.url, 'localhost');
    const { body } = await admin.managePost({ type: 'deluser', filter: 'carla' });
    expect(body).toMatchObject({ users: 0, credentials: 0 });
    expect(await server.get(UsersByName).find(rp, ['carla.c'])).toHaveLength(1);
  });

  describe('a change of many users', () => {
    const users = 250;
    let rounds = 0;
    let domain: string;
    beforeEach(async () => {
      domain = `many-${(rounds += 1)}.example`;
      await server.addRelyingParty('acme', { domain });
      const allUsers = Array.from({ length: users }, (_, n) => ({
        username: `u${String(n).padStart(3, '0')}`,
        createdAt: 1_790_000_000_000 + (n % 3),
      }));
      await settle(server, relyingPartyOf(server, domain), allUsers);
    });
    const rename = async (from: string, to: string) => {
      const by = { account: 'a', role: 'admin', address: '', requestId: 'r' } as const;
      const row = { ...by, action: 'user.rename', result: 'ok' } as const;
      const names = { username: to, displayName: to };
      const rp = relyingPartyOf(server, domain);
      const renamed = await server.get(UserRenaming).change(rp, from, names, () => row);
      expect(renamed).toMatchObject({ outcome: 'changed' });
    };

    it.each([
      ['everybody', { type: 'disableall', filter: '*', confirm: 'all' }, 'u249', 'a249'],
      ['a beginning of names', { type: 'enableall', filter: 'u*' }, 'u247', 'u0'],
      ['a part of names', { type: 'disableall', filter: '*u*' }, 'u246', 'au'],
    ])('includes a user who is renamed meanwhile, for %s', async (_, call, from, to) => {
      const many = new AdminClient(server.url, domain);
      const all = { type: 'disableall', filter: '*', confirm: 'all' };
      if (call.type === 'enableall') await many.managePost(all);
      beforeNextRow(server, () => rename(from, to));
      const { body } = await many.managePost(call);
      expect(body).toMatchObject({ users, credentials: users });
    });

    it('reads only users whose names begin as the pattern does, where these are few', async () => {
      const database = server.get(Database);
      const query = jest.spyOn(database, 'query');
      const call = { type: 'disableall', filter: 'u00*0' };
      const { body } = await new AdminClient(server.url, domain).managePost(call);
      const asked = query.mock.calls.map(([statement]): unknown => statement);
      query.mockRestore();
      expect(body).toMatchObject({ status: 'ok', type: 'disableall' });
      const { others, same } = FACTS_BY_CREATION.forwards;
      expect(asked.filter((one) => one === others || one === same)).toEqual([]);
    });

    it('includes a user in an export who is renamed during it', async () => {
      const names = new Set<string>();
      for await (const page of server.get(ExportReader).of(relyingPartyOf(server, domain))) {
        if (names.size === 0) await rename('u248', 'a248');
        for (const { username } of page) names.add(username);
      }
      expect(names.size).toBe(users);
    });
  });
});

describe.each(DATABASES)('a registration that another key of the user permits, on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on, options: { registration: 'first-only' } });
  });
  afterAll(() => server.stop());

  /** A registration that the user's key permitted, up to its result call. */
  const begin = async (username: string) => {
    const phone = new FidoClient(server.url);
    const laptop = new FidoClient(server.url);
    await phone.register(username);
    const headers = bearer(String((await phone.signIn(username)).body['token']));
    const more = { username, displayName: username };
    const begun = await laptop.post(laptop.paths.beginRegistration, more, headers);
    return { phone, laptop, created: laptop.create(begun) };
  };

  it('stores a key that a simultaneous change of a renamed user includes', async () => {
    const { laptop, created } = await begin('fritz');
    beforeNextRow(server, async () => {
      expect((await laptop.completeRegistration(created)).status).toBe(200);
      const sql = 'UPDATE users SET username = ? WHERE username = ?';
      const params = [Buffer.from('fritz.f'), Buffer.from('fritz')];
      await server.get(Database).commit([{ sql, params }]);
    });
    const admin = new AdminClient(server.url, 'localhost');
    const { body } = await admin.managePost({ type: 'disableall', filter: 'fritz' });
    expect(body).toMatchObject({ users: 1, credentials: 2 });
  });

  it.each([
    ['disableall', {}],
    ['disabledevice', { device: 'Security*' }],
    ['deldevice', { device: 'Security*' }],
  ])('stores a key that %s includes a moment later', async (type, device) => {
    const username = `dora-${type}`;
    const { laptop, created } = await begin(username);
    beforeNextRow(server, async () => {
      expect((await laptop.completeRegistration(created)).status).toBe(200);
    });
    const admin = new AdminClient(server.url, 'localhost');
    const { body } = await admin.managePost({ type, filter: username, ...device });
    expect(body).toMatchObject({ users: 1, credentials: 2 });
    expect((await laptop.signIn(username)).status).not.toBe(200);
  });

  if (on === 'MariaDB') {
    it('a registration that another key permits is refused if the other key is being disabled, with READ COMMITTED too (E0043R)', async () => {
      const { phone, laptop, created } = await begin('erna');
      await readCommitted(server);
      const connection = await createConnection(server.database.url);
      await connection.beginTransaction();
      const id = phone.authenticator.credentials[0]?.id;
      await connection.query('UPDATE credentials SET enabled = 0 WHERE credential_id = ?', [id]);
      const progress = { ended: false };
      const completed = laptop.completeRegistration(created).finally(() => (progress.ended = true));
      await eventually(async () => {
        const [waiting] = await connection.query<RowDataPacket[]>(WAITING);
        expect(progress.ended || waiting.length === 1).toBe(true);
      });
      await connection.commit();
      await connection.end();
      expectRefusal(await completed, 'E0043R');
    });
  }
});

describeWith('MariaDB')('a copied key that two instances disable', () => {
  it('adds one event, with READ COMMITTED too', async () => {
    const server = await TestServer.start({ on: 'MariaDB' });
    await readCommitted(server);
    const policy = { counter: 'disable' } as const;
    await server
      .get(TenancyService)
      .changeRelyingParty(server.call, 'default', 'localhost', { policy });
    const client = new FidoClient(server.url);
    await client.register('copied');
    await client.signIn('copied');
    const id = client.authenticator.credentials[0]?.id;
    const other = await createConnection(server.database.url);
    const writer = server.get(SignInWriter);
    const record = writer.recordCloneAlarm.bind(writer);
    jest.spyOn(writer, 'recordCloneAlarm').mockImplementationOnce(async (...alarm) => {
      await other.beginTransaction();
      await other.query('UPDATE credentials SET enabled = 0 WHERE credential_id = ?', [id]);
      const recorded = record(...alarm);
      await eventually(async () => {
        const [waiting] = await other.query<RowDataPacket[]>(WAITING);
        expect(waiting).toHaveLength(1);
      });
      await other.commit();
      return recorded;
    });
    expectRefusal(await client.signIn('copied', { signCount: 1 }), 'E0035R');
    // The other instance has stored the event with its change.
    expect(await countOf(server, "events WHERE kind = 'disabled'")).toBe(0);
    expect(await countOf(server, "events WHERE kind = 'clone-alarm'")).toBe(1);
    await other.end();
    await server.stop();
  });
});

/** The next transactions of the same connections have this isolation level. */
async function readCommitted(server: TestServer): Promise<void> {
  const level = 'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED';
  for (let n = 0; n < 4; n += 1) {
    await server.get(Database).commit([{ sql: level, params: [] }]);
  }
}

/** Changes of credentials that are under way in this database; while the row is locked, they wait. */
const WAITING = `SELECT id FROM information_schema.processlist
  WHERE db = DATABASE() AND id <> CONNECTION_ID() AND info LIKE '%UPDATE%credentials%'`;

/** On SQLite a statement skips rows, as if another caller had always just changed them. */
describe('a user who is changed all the time', () => {
  let server: TestServer;
  let admin: AdminClient;
  let client: FidoClient;
  beforeAll(async () => {
    server = await TestServer.start();
    admin = new AdminClient(server.url, 'localhost');
    client = new FidoClient(server.url);
    await client.register('anna');
    await new FidoClient(server.url).register('anna');
    for (const what of [
      'DELETE ON users',
      'DELETE ON credentials',
      'UPDATE OF enabled ON credentials',
    ]) {
      const name = what.replaceAll(' ', '_');
      const sql = `CREATE TRIGGER ${name} BEFORE ${what} BEGIN SELECT RAISE(IGNORE); END`;
      await server.get(DataSource).query(sql);
    }
  });
  afterAll(() => server.stop());

  it.each(['disableall', 'deluser'])(
    'a user who is changed all the time is not skipped by %s',
    async (type) => {
      expectRefusal(await admin.managePost({ type, filter: 'anna' }), 'E0052R', 503);
    },
  );

  it('is not reported as missing when a list is deleted', async () => {
    expectRefusal(await admin.post('/userapi/deletelistusers', { users: ['anna'] }), 'E0052R', 503);
  });

  it('a user who is changed all the time is not erased partially', async () => {
    const by = erasureCall(server);
    const before = await server.snapshot();
    const erased = server.get(UserErasure).erase(relyingPartyOf(server, 'localhost'), 'anna', by);
    await expect(erased).rejects.toMatchObject({ code: 'E0052R' });
    expect(await server.snapshot()).toBe(before);
  });

  it('may delete a key while the user has another one', async () => {
    const token = bearer(String((await client.signIn('anna')).body['token']));
    const id = client.keyId;
    const init = { method: 'DELETE', headers: token };
    expectRefusal(await client.send(`/fidoapi/keys/${id}`, init), 'E0052R', 503);
  });
});
