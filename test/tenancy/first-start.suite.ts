import { jest } from '@jest/globals';
import { Database } from '../../src/platform/database/database.js';
import { RelyingPartyCache } from '../../src/tenancy/scope/relying-party-cache.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
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
