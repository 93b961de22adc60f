import { randomUUID } from 'node:crypto';
import { RedisLink } from '../src/database/redis-link.js';
import { SharedLimiter } from '../src/security/shared-limiter.js';
import { REDIS_URL } from './support/databases.js';
import { eventually } from './support/eventually.js';

const LIMIT = 40;
/** What each instance may let pass on top: a twentieth of the limit. */
const PORTION = 2;

/** How many of the calls pass, the limiters taking turns. */
async function passed(limiters: readonly SharedLimiter[], key: string, calls: number) {
  let count = 0;
  for (let n = 0; n < calls; n += 1) {
    if ((await limiters[n % limiters.length]?.count(key)) === 0) count += 1;
    // Reports are not waited for; here they shall have the time that calls usually leave them.
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  return count;
}

const limiter = (link: RedisLink | null, seconds = 60) =>
  new SharedLimiter({ name: 'test', points: LIMIT, seconds }, link);

describe('§9 rate limits', () => {
  const links: RedisLink[] = [];
  const open = (url: string) => {
    const link = new RedisLink(url);
    links.push(link);
    return link;
  };
  afterAll(() => links.forEach((link) => link.onApplicationShutdown()));

  it('hold exactly in memory', async () => {
    expect(await passed([limiter(null)], 'alone', LIMIT + 10)).toBe(LIMIT);
  });

  const shared = REDIS_URL === undefined ? [] : [REDIS_URL];
  it.each(shared)(
    'hold for two instances over Redis together, but for a twentieth each',
    async (url) => {
      const both = [open(url), open(url)];
      await Promise.all(both.map((link) => link.ping()));
      const key = randomUUID();
      const count = await passed(
        both.map((link) => limiter(link)),
        key,
        3 * LIMIT,
      );
      expect(count).toBeGreaterThanOrEqual(LIMIT);
      expect(count).toBeLessThanOrEqual(LIMIT + 2 * PORTION);
      expect(
        await passed(
          both.map((link) => limiter(link)),
          randomUUID(),
          LIMIT / 2,
        ),
      ).toBe(LIMIT / 2);
    },
  );

  it.each(shared)(
    'tell an instance that has seen nothing of a key that others used up',
    async (url) => {
      const both = [open(url), open(url)];
      await Promise.all(both.map((link) => link.ping()));
      const [busy, fresh] = both.map((link) => limiter(link)) as [SharedLimiter, SharedLimiter];
      const key = randomUUID();
      await passed([busy], key, 2 * LIMIT);
      expect(await passed([fresh], key, 10)).toBeLessThanOrEqual(PORTION);
    },
  );

  it('hold in each instance alone while Redis is away', async () => {
    const away = limiter(open('redis://127.0.0.1:1'));
    expect(await passed([away], randomUUID(), LIMIT + 10)).toBe(LIMIT);
  });

  it('end with their window', async () => {
    const short = limiter(null, 1);
    expect(await passed([short], 'window', LIMIT + 1)).toBe(LIMIT);
    expect(await short.count('window')).toBe(1);
    await eventually(async () => expect(await short.count('window')).toBe(0));
  });
});
