import { KeyReader } from '../../src/adoption/key-reader.js';
import { Database } from '../../src/platform/database/database.js';
import { settle } from '../support/settled-users.js';
import { relyingPartyOf } from '../support/rows.js';
import { SlowReading } from '../support/slow-reading.js';
import { TestServer } from '../support/test-server.js';

describe('the reader of a relying party’s keys', () => {
  let server: TestServer;
  let reading: SlowReading;
  let keys: KeyReader;
  beforeEach(async () => {
    server = await TestServer.start();
    await server.addRelyingParty('acme', { domain: 'acme.example' });
    await settle(server, relyingPartyOf(server, 'localhost'), [{ username: 'anna' }]);
    reading = new SlowReading(server.get(Database));
    keys = new KeyReader(reading.database);
  });
  afterEach(() => server.stop());

  it('reads the keys once for simultaneous callers, and again for later ones', async () => {
    const [here, there] = ['localhost', 'acme.example'].map((one) => relyingPartyOf(server, one));
    const totals = async (...rps: (typeof here)[]) => {
      const counted = await Promise.all(rps.flatMap((rp) => (rp ? [keys.count(rp)] : [])));
      return counted.map(({ all }) => all.total);
    };
    expect(await totals(here, here, there, here)).toEqual([1, 1, 0, 1]);
    expect(reading.asked).toBe(2);
    await settle(server, relyingPartyOf(server, 'localhost'), [{ username: 'bert' }]);
    expect(await totals(here)).toEqual([2]);
  });

  it('counts one first key for a user with several keys of the same millisecond', async () => {
    await server.addRelyingParty('acme', { domain: 'twins.example' });
    const rp = relyingPartyOf(server, 'twins.example');
    await settle(server, rp, [{ username: 'cleo', devices: ['red', 'green', 'blue'] }]);
    const sql = 'UPDATE credentials SET registered_at = 1 WHERE relying_party_id = ?';
    await server.get(Database).commit([{ sql, params: [rp.id] }]);
    expect(await keys.count(rp)).toMatchObject({ all: { total: 3, first: 1, further: 2 } });
  });
});
