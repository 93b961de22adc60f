import { setTimeout as pause } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { UsageReader } from '../../src/billing/usage/usage-reader.js';
import { EVERY_DATABASE } from '../support/databases.js';
import { FidoClient } from '../support/fido-client.js';
import { TestServer } from '../support/test-server.js';

/** Longer than callers of the API have to wait. */
const LONG_MS = 3_000;
const DAY_MS = 86_400_000;

/** On SQLite no other caller can delay a count: there is one connection. */
describe.each(EVERY_DATABASE.filter((on) => on !== 'SQLite'))(
  'GET /userapi/invoice up to today on %s',
  (on) => {
    let server: TestServer;
    beforeAll(async () => {
      server = await TestServer.start({ on });
      await new FidoClient(server.url).register('ada');
    });
    afterAll(() => server.stop());

    it('counts the events of the last minutes during a busy hour', async () => {
      const other = server.get(DataSource).createQueryRunner();
      await other.query('LOCK TABLES usage_active WRITE');
      const today = Math.floor(Date.now() / DAY_MS);
      const counted = server.get(UsageReader).of(today).catch(String);
      await pause(LONG_MS);
      await other.query('UNLOCK TABLES');
      await other.release();
      expect(await counted).toMatchObject([{ relyingParties: [{ activeUsers: 1 }] }]);
    });
  },
);
