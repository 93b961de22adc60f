import { jest } from '@jest/globals';
import { Database } from '../../src/database/database.js';
import type { Query, QueryOptions } from '../../src/database/database.js';
import { OPERATOR } from '../../src/security/account.js';
import { OPEN_RELYING_PARTIES } from '../../src/tenancy/tenancy.statements.js';
import { TenancyService } from '../../src/tenancy/tenancy.service.js';
import { TenantDirectory } from '../../src/tenancy/tenant-directory.js';
import { eventually } from '../support/eventually.js';
import { TestServer } from '../support/test-server.js';

const DOMAIN = 'acme.example';

describe('the relying parties kept in memory', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
    await server.addRelyingParty('acme', { domain: DOMAIN });
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => server.stop());

  /** Holds back what the next reading of the relying parties finds, as a slow connection does. */
  function holdNextReading() {
    const database = server.get(Database);
    const query = database.query.bind(database);
    const held = { begun: false, found: false, letGo: () => {} };
    const end = new Promise<void>((resolve) => (held.letGo = resolve));
    jest
      .spyOn(database, 'query')
      .mockImplementation(<Row>(sql: string, options?: QueryOptions): Query<Row> => {
        const statement = query<Row>(sql, options);
        if (sql !== OPEN_RELYING_PARTIES || held.begun) return statement;
        held.begun = true;
        return {
          all: async (...params) => {
            const rows = await statement.all(...params);
            held.found = true;
            await end;
            return rows;
          },
        };
      });
    return held;
  }

  it('are not replaced by what an earlier reading found, though it ends later', async () => {
    const directory = server.get(TenantDirectory);
    const held = holdNextReading();
    const slow = directory.refresh();
    await eventually(() => expect(held.found).toBe(true));
    const changes = { name: 'Acme' };
    await server.get(TenancyService).changeRelyingParty(OPERATOR, 'acme', DOMAIN, changes);
    expect(directory.current.find(DOMAIN)).toMatchObject(changes);
    held.letGo();
    await slow;
    expect(directory.current.find(DOMAIN)).toMatchObject(changes);
  });
});
