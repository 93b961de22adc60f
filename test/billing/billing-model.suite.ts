import fc from 'fast-check';
import { DataSource } from 'typeorm';
import { Database } from '../../src/platform/database/database.js';
import { histories } from '../support/billing/history.js';
import { PlayedHistory } from '../support/billing/played-history.js';
import { DATABASES } from '../support/databases.js';
import { TestServer } from '../support/test-server.js';

/** `BILLING_HISTORIES=1000` tries that many; a few are enough for an ordinary run. */
const HISTORIES = Number(process.env['BILLING_HISTORIES'] ?? 40);
const SEED = process.env['BILLING_SEED'];

describe.each(DATABASES)('the counted usage on %s', (on) => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start({ on });
  });
  afterAll(() => server.stop());

  it(
    'the usage of a random history equals an independent count, by figure and day',
    async () => {
      const database = server.get(Database);
      const source = server.get(DataSource);
      await fc.assert(
        fc.asyncProperty(histories, (history) =>
          new PlayedHistory(database, source, history).run(),
        ),
        { numRuns: HISTORIES, ...(SEED === undefined ? {} : { seed: Number(SEED) }) },
      );
    },
    60_000 * Math.max(10, HISTORIES / 10),
  );
});
