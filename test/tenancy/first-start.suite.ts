import { jest } from '@jest/globals';
import { Database } from '../../src/platform/database/database.js';
import { RelyingPartyCache } from '../../src/tenancy/scope/relying-party-cache.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { accountsFile, clientOf } from '../support/accounts.js';
import { issueKey, keyClient } from '../support/application-keys.js';
import { adminClient } from '../support/client.js';
import { sendForm } from '../support/console-form.js';
import { createDatabase, DATABASES, EVERY_DATABASE } from '../support/databases.js';
import { createServerDatabase } from '../support/server-database.js';
import { TestServer } from '../support/test-server.js';

const domainsOf = (server: TestServer) => server.get(RelyingPartyCache).current.domains;

describe.each(DATABASES)('the first start on %s', (on) => {
  it('the first start is completed by the next start after a crash between tenant and relying party', async () => {
    const database = await createDatabase(on);
    const cutOff = await TestServer.start({ database });
    await cutOff.get(Database).commit([{ sql: 'DELETE FROM relying_parties', params: [] }]);
    await cutOff.stop();
    const server = await TestServer.start({ database });
    expect(domainsOf(server)).toEqual(['localhost']);
    await server.stop();
    await database.remove();
  });

  it('the first start does not restore a relying party that was removed', async () => {
    const database = await createDatabase(on);
    const first = await TestServer.start({ database });
    await first
      .get(Database)
      .commit([{ sql: 'UPDATE relying_parties SET closed_at = 1', params: [] }]);
    await first.stop();
    const second = await TestServer.start({ database });
    expect(domainsOf(second)).toEqual([]);
    await second.stop();
    await database.remove();
  });

  it('shows and erases no audit row of a former tenant `default`', async () => {
    const database = await createServerDatabase(on);
    const named = { username: 'former-user', relyingParty: 'shop.example' };
    const options = {
      domain: 'shop.example',
      accounts: accountsFile([{ name: 'only', role: 'admin', tenants: ['default'] }]),
    };
    const former = await TestServer.start({ database, options });
    expect((await adminClient(former.url).post('/userapi/tickets', named)).status).toBe(201);
    const path = '/tenantapi/tenants/default';
    expect((await adminClient(former.url).send(path, { method: 'DELETE' })).status).toBe(200);
    // While no tenant has the name, the account sees the rows of the last one.
    const removed = await clientOf(former.url, 'only').get('/userapi/audit');
    expect(JSON.stringify(removed.body)).toContain('former-user');
    await former.stop();

    const server = await TestServer.start({ database, options });
    const account = clientOf(server.url, 'only');
    const fields = { rp: 'shop.example', name: 'former-user', confirm: 'former-user' };
    const erased = await sendForm(server, '/userapi/user/erasure', fields, { name: 'only' });
    expect(erased.status).toBe(404);
    const key = await issueKey(server.url, { tenant: 'default', scopes: ['audit:read'] });
    for (const client of [account, keyClient(server.url, key.secret)]) {
      for (const position of ['', '&after=0']) {
        const { body } = await client.get(`/userapi/audit?limit=1000${position}`);
        const actions = (body['entries'] as { action: string }[]).map(({ action }) => action);
        expect(actions.toSorted()).toEqual(['application-key.issue', 'user.erase']);
      }
    }
    await server.stop();
    await database.remove();
  });

  it('adds its origins to those that another instance adds at the same time', async () => {
    const database = await createServerDatabase(on);
    const theirs = 'http://localhost:4001';
    const ours = 'http://localhost:4002';
    const { prototype } = TenancyService;
    const change = prototype.changeRelyingParty;
    const first = await TestServer.start({ database });
    const changing = jest
      .spyOn(prototype, 'changeRelyingParty')
      .mockImplementationOnce(async function (this: TenancyService, ...call) {
        const { origins } = await this.relyingParty('default', 'localhost');
        const dto = { origins: [...origins, theirs] };
        await change.call(this, first.call, 'default', 'localhost', dto);
        return change.apply(this, call);
      });
    const options = { domain: 'localhost', origin: [ours] };
    const second = await TestServer.start({ database, options });
    changing.mockRestore();
    const { origins } = await second.get(TenancyService).relyingParty('default', 'localhost');
    expect(origins).toEqual(expect.arrayContaining([theirs, ours]));
    await Promise.all([first, second].map((server) => server.stop()));
    await database.remove();
  });
});

if (EVERY_DATABASE.includes('MariaDB')) {
  it('a first start gives both of two simultaneous instances the relying party', async () => {
    for (let round = 0; round < 3; round += 1) {
      // The first pair makes the tables, too.
      const create = round === 0 ? createDatabase : createServerDatabase;
      const database = await create('MariaDB');
      const servers = await Promise.all([
        TestServer.start({ database }),
        TestServer.start({ database }),
      ]);
      expect(servers.map(domainsOf)).toEqual([['localhost'], ['localhost']]);
      await Promise.all(servers.map((server) => server.stop()));
      await database.remove();
    }
  });
}
