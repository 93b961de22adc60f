import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { RedisLink } from '../../src/database/redis-link.js';
import { SharedLimiter } from '../../src/security/shared-limiter.js';
import { REDIS_URL } from '../support/databases.js';
import { eventually } from '../support/eventually.js';

const LIMIT = 40;
/** What each instance may let pass on top: a twentieth of the limit. */
const PORTION = 2;

/** What one instance counts with: its limiter and, where it shares its counts, its link to Redis. */
interface Instance {
  readonly limiter: SharedLimiter;
  readonly link: RedisLink | null;
}

const instance = (link: RedisLink | null, seconds = 60): Instance => ({
  limiter: new SharedLimiter({ name: 'test', points: LIMIT, seconds }, link),
  link,
});

/** How many of the calls pass, the instances taking turns. */
async function passed(instances: readonly Instance[], key: string, calls: number) {
  let count = 0;
  for (let n = 0; n < calls;) {
    for (const { limiter, link } of instances) {
      if ((await limiter.count(key)) === 0) count += 1;
      n += 1;
      // Calls do not wait for their reports; here each is through, as Redis answers in order.
      if (link?.connected) await link.ping();
      await nextTurn();
    }
  }
  return count;
}

describe('§9 rate limits', () => {
  const links: RedisLink[] = [];
  const open = (url: string) => {
    const link = new RedisLink(url);
    links.push(link);
    return link;
  };
  const openBoth = async (url: string) => {
    const both = [open(url), open(url)] as const;
    await Promise.all(both.map((link) => link.ping()));
    return both;
  };
  afterAll(() => links.forEach((link) => link.onApplicationShutdown()));

  it('hold exactly in memory', async () => {
    expect(await passed([instance(null)], 'alone', LIMIT + 10)).toBe(LIMIT);
  });

  const url = REDIS_URL;
  if (url !== undefined) {
    it('hold for two instances over Redis together, but for a twentieth each', async () => {
      const both = (await openBoth(url)).map((link) => instance(link));
      const count = await passed(both, randomUUID(), 3 * LIMIT);
      expect(count).toBeGreaterThanOrEqual(LIMIT);
      expect(count).toBeLessThanOrEqual(LIMIT + 2 * PORTION);
      expect(await passed(both, randomUUID(), LIMIT / 2)).toBe(LIMIT / 2);
    });

    it('tell an instance that has seen nothing of a key that others used up', async () => {
      const [busy, fresh] = await openBoth(url);
      const key = randomUUID();
      await passed([instance(busy)], key, 2 * LIMIT);
      expect(await passed([instance(fresh)], key, 10)).toBeLessThanOrEqual(PORTION);
    });
  }

  it('hold in each instance alone while Redis is away', async () => {
    const away = instance(open('redis://127.0.0.1:1'));
    expect(await passed([away], randomUUID(), LIMIT + 10)).toBe(LIMIT);
  });

  it('end with their window', async () => {
    const short = instance(null, 2);
    expect(await passed([short], 'window', LIMIT + 1)).toBe(LIMIT);
    expect(await short.limiter.count('window')).toBeGreaterThan(0);
    await eventually(async () => expect(await short.limiter.count('window')).toBe(0));
  });
});
