import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { createConnection } from 'mysql2/promise';
import { Database } from '../../src/platform/database/database.js';
import { CacheVersion } from '../../src/platform/database/cache-version.js';
import { SigningKeys } from '../../src/fido/tokens/signing-keys.js';
import { ApplicationKeys } from '../../src/tenancy/keys/application-keys.js';
import { OPEN_RELYING_PARTIES } from '../../src/tenancy/tenancy.statements.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { RelyingPartyCache } from '../../src/tenancy/scope/relying-party-cache.js';
import { AaguidList } from '../../src/trust/whitelist/aaguid-list.js';
import { issueKey } from '../support/application-keys.js';
import { Backend } from '../support/backend.js';
import { adminClient, type Answer } from '../support/client.js';
import { DATABASES, EVERY_DATABASE, type TestDatabase } from '../support/databases.js';
import { changingCall } from '../support/changing-call.js';
import { eventually } from '../support/eventually.js';
import { FaultyProxy } from '../support/faulty-proxy.js';
import { FidoClient } from '../support/fido-client.js';
import { rowsOf } from '../support/rows.js';
import { createServerDatabase } from '../support/server-database.js';
import { FAST, TestServer } from '../support/test-server.js';

const DOMAIN = 'acme.example';

describe('the cache of relying parties', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
    await server.addRelyingParty('acme', { domain: DOMAIN });
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => server.stop());

  /** Delays the result of the next read of the relying parties, as a slow connection does. */
  function holdNextReading() {
    const database = server.get(Database);
    const query = database.query.bind(database);
    const held = { begun: false, found: false, letGo: () => {} };
    const end = new Promise<void>((resolve) => (held.letGo = resolve));
    const slowQuery = async (statement: unknown, ...params: unknown[]) => {
      const isFirst = statement === OPEN_RELYING_PARTIES && !held.begun;
      if (isFirst) held.begun = true;
      const rows = await query(statement as never, ...(params as []));
      if (!isFirst) return rows;
      held.found = true;
      await end;
      return rows;
    };
    jest.spyOn(database, 'query').mockImplementation(slowQuery as never);
    return held;
  }

  it('a stored change is answered although it cannot be read again, and is in use after the next round', async () => {
    const relyingParties = server.get(RelyingPartyCache);
    const away = new Error('The database is away.');
    jest.spyOn(relyingParties, 'refresh').mockRejectedValueOnce(away);
    const path = `/tenantapi/tenants/acme/relying-parties/${DOMAIN}`;
    const answer = await adminClient(server.url).patch(path, { name: 'Stored' });
    expect(answer).toMatchObject({ status: 200, body: { name: 'Stored' } });
    await server.get(CacheVersion).runNow();
    expect(relyingParties.current.find(DOMAIN)?.name).toBe('Stored');
  });

  it('a stored change is answered although the warnings about it cannot be read', async () => {
    server
      .get(TenancyService)
      .registerWarnings(() => Promise.reject(new Error('The database is away.')));
    const path = `/tenantapi/tenants/acme/relying-parties/${DOMAIN}`;
    const answer = await adminClient(server.url).patch(path, { name: 'Without warnings' });
    expect(answer).toMatchObject({ status: 200, body: { name: 'Without warnings' } });
  });

  it('the cache of relying parties is not replaced by an earlier read that ends later', async () => {
    const relyingParties = server.get(RelyingPartyCache);
    const held = holdNextReading();
    const slow = relyingParties.refresh();
    await eventually(() => expect(held.found).toBe(true));
    const changes = { name: 'Acme' };
    await server.get(TenancyService).changeRelyingParty(server.call, 'acme', DOMAIN, changes);
    expect(relyingParties.current.find(DOMAIN)).toMatchObject(changes);
    held.letGo();
    await slow;
    expect(relyingParties.current.find(DOMAIN)).toMatchObject(changes);
  });
});

describe.each(DATABASES)('two instances that share a directory on %s', (on) => {
  let database: TestDatabase;
  let here: TestServer;
  let there: TestServer;
  beforeAll(async () => {
    database = await createServerDatabase(on);
    here = await TestServer.start({ database, speed: FAST });
    there = await TestServer.start({ database, speed: FAST });
    await here.addRelyingParty('acme', { domain: 'one.example' });
    await here.addRelyingParty('acme', { domain: 'two.example' });
    await eventually(() => expect(knownAt(there, 'two.example')).toBeDefined());
  });
  afterAll(async () => {
    await here.stop();
    await there.stop();
    await database.remove();
  });

  const knownAt = (server: TestServer, domain: string) =>
    server.get(RelyingPartyCache).current.find(domain);
  const rename = (server: TestServer, domain: string, name: string) =>
    server.get(TenancyService).changeRelyingParty(server.call, 'acme', domain, { name });

  it('notice a change of the directory by an instance with a slow clock', async () => {
    here.clock.advance(-60_000);
    await rename(there, 'one.example', 'Ahead');
    await rename(here, 'two.example', 'Behind');
    here.clock.advance(60_000);
    await eventually(() => expect(knownAt(there, 'two.example')?.name).toBe('Behind'));
  });

  if (on === 'MariaDB') {
    it('notice a change of the directory that began before another and was committed after it', async () => {
      // The early change gives up after a second; on a busy machine that may be too short.
      await eventually(async () => {
        const lock = await hold(
          database,
          "SELECT * FROM relying_parties WHERE domain = 'two.example' FOR UPDATE",
        );
        const early = rename(here, 'two.example', 'Late').catch((error: unknown) => error);
        try {
          await lock.blocksAnother();
          await rename(there, 'one.example', 'Early');
        } finally {
          await lock.release();
        }
        expect(await early).not.toBeInstanceOf(Error);
      });
      await eventually(() => expect(knownAt(there, 'two.example')?.name).toBe('Late'));
    });

    it('let users register and sign in for five seconds while changes of the directory wait', async () => {
      const { secret } = await issueKey(here.url, { tenant: 'default', scopes: ['ceremonies'] });
      const lock = await hold(database, 'UPDATE directory_version SET version = version + 1');
      let isHeld = true;
      const changing = (async () => {
        while (isHeld) await rename(here, 'one.example', 'Waiting').catch(() => undefined);
      })();
      try {
        await lock.blocksAnother();
        const until = Date.now() + 5000;
        for (let n = 0; Date.now() < until; n += 1) {
          for (const { url } of [here, there]) {
            const client = new FidoClient(url);
            const backend = new Backend(url, secret, { authenticator: client.authenticator });
            const name = `user ${n} of ${url}`;
            expect((await client.register(name)).status).toBe(200);
            expect((await client.signIn(name)).status).toBe(200);
            expect((await backend.signIn(name)).status).toBe(200);
          }
        }
      } finally {
        isHeld = false;
        await lock.release();
      }
      await changing;
    });
  }

  it('raise the directory’s version at each change, and at no sign-in', async () => {
    const tenancy = here.get(TenancyService);
    const keys = here.get(ApplicationKeys);
    const whitelist = here.get(AaguidList);
    const signing = here.get(SigningKeys);
    const domain = 'three.example';
    const model = { aaguid: '00000000-0000-4000-8000-000000000001', name: 'Model' };
    let issued = '';
    const raisesBy = async (change: () => Promise<unknown>) => {
      const before = await versionOf(there);
      await change();
      return (await versionOf(there)) - before;
    };
    const { call } = here;
    const changes = {
      'add tenant': () => tenancy.addTenant(call, { tenant: 'three' }),
      'change tenant': () => tenancy.changeTenant(call, 'three', 'Three'),
      'add relying party': () => tenancy.addRelyingParty(call, 'three', { domain }),
      'change relying party': () =>
        tenancy.changeRelyingParty(call, 'three', domain, { name: 'Three' }),
      'issue application key': async () => {
        const dto = { tenant: 'three', name: 'backend', scopes: ['events:read' as const] };
        issued = (await keys.issue(call, dto)).key.id.toString('base64url');
      },
      'revoke application key': () => keys.revoke(call, issued),
      'remove relying party': () => tenancy.removeRelyingParty(call, 'three', domain),
      'remove tenant': () => tenancy.removeTenant(call, 'three'),
      'list model': () => whitelist.add(call, model),
      'rename model': () => whitelist.add(call, { ...model, name: 'Renamed' }),
      'remove model': () => whitelist.remove(call, model.aaguid),
      'rotate signing key': () => signing.rotate(call),
      'revoke signing key': () => signing.revoke(call, signing.current.kid),
    };
    for (const [name, change] of Object.entries(changes)) {
      expect([name, await raisesBy(change)]).toEqual([name, 1]);
    }
    const client = new FidoClient(here.url);
    const signIn = async () => {
      await client.register('anna');
      expect((await client.signIn('anna')).status).toBe(200);
    };
    expect(await raisesBy(signIn)).toBe(0);
  });
});

if (EVERY_DATABASE.includes('MariaDB')) {
  describe('a change of the directory whose commit result is lost', () => {
    let database: TestDatabase;
    let proxy: FaultyProxy;
    let server: TestServer;
    beforeAll(async () => {
      database = await createServerDatabase('MariaDB');
      proxy = await FaultyProxy.before(database.url);
      server = await TestServer.start({
        database: { ...database, url: proxy.urlOf(database.url) },
      });
    });
    afterAll(async () => {
      await server.stop();
      await proxy.close();
      await database.remove();
    });

    it.each(['lose-answer', 'lose-question'] as const)(
      '%s: is stored once and reported as such',
      async (fault) => {
        const admin = adminClient(server.url);
        const tenant = fault;
        const domain = `${fault}.example`;
        const tenants = '/tenantapi/tenants';
        const place = `${tenants}/${tenant}/relying-parties`;
        const aaguid = randomUUID();
        const order = { tenant, name: 'shop', scopes: ['events:read'] };
        let id = '';
        const change = (method: string, path: string, body?: object) =>
          admin.sendJson(method, path, { body });
        const calls: (() => Promise<Answer>)[] = [
          () => change('POST', tenants, { tenant }),
          () => change('PATCH', `${tenants}/${tenant}`, { displayName: 'Named' }),
          () => change('POST', place, { domain }),
          () => change('PATCH', `${place}/${domain}`, { name: 'Named' }),
          async () => {
            const answer = await change('POST', '/tenantapi/keys', order);
            id = (answer.body as { key: { id: string } }).key.id;
            return answer;
          },
          () => change('DELETE', `/tenantapi/keys/${id}`),
          () => change('DELETE', `${place}/${domain}`),
          () => change('DELETE', `${tenants}/${tenant}`),
        ];
        for (const [n, call] of calls.entries()) {
          const struck = proxy.struck;
          proxy.arm('UPDATE directory_version', fault);
          const { status } = await call();
          expect([n, Math.floor(status / 100)]).toEqual([n, 2]);
          expect(proxy.struck).toBe(struck + 1);
        }
        proxy.arm('UPDATE directory_version', fault);
        const call = changingCall(server, 'aaguid.add');
        await server.get(AaguidList).add(call, { aaguid, name: 'Model' });
        expect(server.get(AaguidList).has(aaguid)).toBe(true);
        const { current } = server.get(SigningKeys);
        proxy.arm('UPDATE directory_version', fault);
        await server.get(SigningKeys).revoke(server.call, current.kid);
        const refusals = "SELECT * FROM audit WHERE result = 'refused'";
        expect(await rowsOf(server, refusals)).toEqual([]);
      },
    );
  });
}

const versionOf = (server: TestServer) => server.get(CacheVersion).read();

/** Locks rows on a connection of its own until they are released. */
async function hold({ url }: TestDatabase, sql: string) {
  const connection = await createConnection(url);
  await connection.query('START TRANSACTION');
  await connection.query(sql);
  return {
    blocksAnother: () =>
      eventually(async () => {
        // InnoDB refreshes this table only after it has not been read for 0.1 s.
        await pause(150);
        const [rows] = await connection.query(WAITING);
        expect(rows).toEqual([{ n: 1 }]);
      }),
    release: async () => {
      await connection.query('ROLLBACK');
      await connection.end();
    },
  };
}

/** How many transactions of this database wait for a lock of another. */
const WAITING = `SELECT COUNT(*) AS n FROM information_schema.innodb_trx t
  JOIN information_schema.processlist p ON p.id = t.trx_mysql_thread_id
  WHERE t.trx_state = 'LOCK WAIT' AND p.db = DATABASE()`;
