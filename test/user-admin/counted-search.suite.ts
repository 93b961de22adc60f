import { Clock } from '../../src/platform/common/clock.js';
import { BackgroundCounts } from '../../src/platform/common/turns/background-counts.js';
import { CountedSearch } from '../../src/users/search/counted-search.js';
import { Pattern } from '../../src/users/search/pattern.js';
import { UserSearch } from '../../src/users/search/user-search.js';
import { Database } from '../../src/platform/database/database.js';
import { eventually } from '../support/eventually.js';
import { settle } from '../support/settled-users.js';
import { relyingPartyOf } from '../support/rows.js';
import { SlowReading } from '../support/slow-reading.js';
import { TestServer } from '../support/test-server.js';

const USERS = 5;
/** Relying parties that a count goes through, each with a statement. */
const PLACES = 20;
/** The number of counts that continue without a caller. */
const MAX_LONG = 4;

/** Patterns that all of them match. */
const different = (count: number) =>
  Array.from({ length: count }, (_, n) => `*a${'*'.repeat(n + 1)}`);

describe('the count of a search that takes longer than an answer may', () => {
  let server: TestServer;
  let reading: SlowReading;
  let counts: BackgroundCounts;
  let counted: CountedSearch;
  beforeAll(async () => {
    server = await TestServer.start();
    const users = Array.from({ length: USERS }, (_, n) => ({ username: `anna-${n}` }));
    await settle(server, relyingPartyOf(server, 'localhost'), users);
  });
  afterAll(() => server.stop());
  beforeEach(() => {
    reading = new SlowReading(server.get(Database));
    counts = new BackgroundCounts(server.get(Clock));
    counted = new CountedSearch(reading.database, server.get(UserSearch), counts);
  });
  afterEach(() => counts.onModuleDestroy());

  const ask = (pattern: string) => {
    const rps = Array.from({ length: PLACES }, () => relyingPartyOf(server, 'localhost'));
    return counted.page(rps, { name: new Pattern(pattern) }, { limit: 1 });
  };

  it('runs once for simultaneous callers', async () => {
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask('anna*')));
    expect(answers.map(({ exact }) => exact)).toEqual(answers.map(() => false));
    expect(reading.most).toBe(1);
    await eventually(async () => {
      expect(await ask('anna*')).toMatchObject({ total: USERS * PLACES, exact: true });
    });
    expect(reading.most).toBe(1);
  });

  it('a long count continues without callers only for a few patterns', async () => {
    const patterns = different(50);
    const answers = await Promise.all(patterns.map(ask));
    expect(answers.some(({ exact }) => exact)).toBe(false);
    await eventually(() => expect(reading.now).toBeLessThanOrEqual(MAX_LONG));
    expect(reading.asked).toBeLessThan(patterns.length * PLACES);
    await eventually(async () => {
      const total = USERS * PLACES;
      expect(await ask(patterns[0] ?? '')).toMatchObject({ total, exact: true });
    });
  });

  it('starts again for an abandoned pattern', async () => {
    const patterns = different(MAX_LONG + 1);
    await Promise.all(patterns.map(ask));
    await eventually(async () => {
      for (const pattern of patterns) expect((await ask(pattern)).exact).toBe(true);
    });
  });
});
