import { jest } from '@jest/globals';
import { DataSource } from 'typeorm';
import { AaguidEntity } from '../../src/trust/whitelist/aaguid.entity.js';
import { AaguidList } from '../../src/trust/whitelist/aaguid-list.js';
import { changingCall } from '../support/changing-call.js';
import { eventually } from '../support/eventually.js';
import { holdNextFind } from '../support/held-find.js';
import { createServerDatabase } from '../support/server-database.js';
import { TestServer } from '../support/test-server.js';

const REMOVED = '0e000000-0000-4000-8000-000000000001';
const ADDED = '0e000000-0000-4000-8000-000000000002';

describe('the whitelist at several instances', () => {
  it('a model removed from the whitelist stays removed when an earlier read ends late', async () => {
    const server = await TestServer.start({ options: { aaguid: true } });
    const list = server.get(AaguidList);
    const call = changingCall(server, 'aaguid.add');
    await list.add(call, { aaguid: REMOVED, name: '' });
    const held = holdNextFind(server.get(DataSource).getRepository(AaguidEntity));
    const slow = list.add(call, { aaguid: ADDED, name: '' });
    await eventually(() => expect(held.found).toBe(true));
    await list.remove(call, REMOVED);
    held.letGo();
    await slow;
    expect([list.has(REMOVED), list.has(ADDED)]).toEqual([false, true]);
    jest.restoreAllMocks();
    await server.stop();
  });

  it('a model is on the whitelist if it was removed while it was added again', async () => {
    const server = await TestServer.start({ options: { aaguid: true } });
    const list = server.get(AaguidList);
    const call = changingCall(server, 'aaguid.add');
    await list.add(call, { aaguid: ADDED, name: 'Model' });
    let units = 0;
    const commit: typeof call.commit = async (...unit) => {
      units += 1;
      // The third is the new name of a model that is listed already.
      if (units === 3) await list.remove(call, ADDED);
      return call.commit(...unit);
    };
    await list.add({ ...call, commit }, { aaguid: ADDED, name: 'New name' });
    expect(list.models).toMatchObject([{ aaguid: ADDED, name: 'New name' }]);
    await server.stop();
  });

  it('a model can get a former name again after another instance renamed it', async () => {
    const database = await createServerDatabase('SQLite');
    const start = () => TestServer.start({ database, options: { aaguid: true } });
    const servers = [await start(), await start()];
    const [here, there] = servers.map((server) => server.get(AaguidList)) as [
      AaguidList,
      AaguidList,
    ];
    const call = changingCall(servers[0] as TestServer, 'aaguid.add');
    await here.add(call, { aaguid: ADDED, name: 'Ours' });
    await there.add(call, { aaguid: ADDED, name: 'Theirs' });
    // This instance has not noticed yet.
    await here.add(call, { aaguid: ADDED, name: 'Ours' });
    expect(here.models).toMatchObject([{ name: 'Ours' }]);
    for (const server of servers) await server.stop();
    await database.remove();
  });
});
