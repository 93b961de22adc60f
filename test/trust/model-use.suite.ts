import { mapKey } from '../../src/platform/database/row-ids.js';
import { Inventory } from '../../src/users/credentials/inventory.js';
import { DATABASES } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { relyingPartyOf, rowsOf } from '../support/rows.js';
import { TestServer } from '../support/test-server.js';

const COUNT =
  'SELECT relying_party_id, aaguid, COUNT(*) FROM credentials GROUP BY relying_party_id, aaguid';

describe.each(DATABASES)('models in use on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on });
    for (const name of ['ada', 'ben']) await new FidoClient(server.url).register(name);
  });
  afterAll(() => server.stop());

  it('models in use are counted by relying party and model', async () => {
    const relyingParty = mapKey(relyingPartyOf(server, 'localhost').id);
    const aaguid = '5e1f1d0a-7e57-4000-8000-0000000000fd';
    expect(await server.get(Inventory).keysByModel()).toEqual([{ relyingParty, aaguid, n: 2 }]);
  });

  it('models in use are counted along an index, which is ten times as fast as reading rows', async () => {
    const explain = on === 'SQLite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN';
    const plan = JSON.stringify(await rowsOf(server, `${explain} ${COUNT}`));
    expect(plan).toContain('ix_credentials_of_model');
    expect(plan).toMatch(on === 'SQLite' ? /USING COVERING INDEX/ : /Using index/);
  });
});
