import { setTimeout as pause } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { mapKey } from '../../src/platform/database/row-ids.js';
import { Inventory } from '../../src/users/credentials/inventory.js';
import { EVERY_DATABASE } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { relyingPartyOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

/** Longer than callers of the API have to wait. */
const LONG_MS = 3_000;

/** On SQLite no other caller can delay a count: there is one connection. */
describe.each(EVERY_DATABASE.filter((on) => on !== 'SQLite'))('the inventory on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    await new FidoClient(server.url).register('ada');
  });
  afterAll(() => server.stop());

  it('the inventory is counted slowly enough for ten million keys', async () => {
    const other = server.get(DataSource).createQueryRunner();
    await other.query('LOCK TABLES users WRITE');
    const counted = server.get(Inventory).byRelyingParty().catch(String);
    await pause(LONG_MS);
    await other.query('UNLOCK TABLES');
    await other.release();
    const id = mapKey(relyingPartyOf(server, 'localhost').id);
    expect(await counted).toEqual(new Map([[id, { users: 1, enabled: 1, disabled: 0 }]]));
  });
});
