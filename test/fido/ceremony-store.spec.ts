import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { RedisLink } from '../../src/database/redis-link.js';
import { MAX_PER_SESSION } from '../../src/fido/ceremonies/ceremony-store.js';
import type { CeremonyStore } from '../../src/fido/ceremonies/ceremony-store.js';
import { MemoryCeremonyStore } from '../../src/fido/ceremonies/memory-ceremony-store.js';
import { RedisCeremonyStore } from '../../src/fido/ceremonies/redis-ceremony-store.js';
import { REDIS_URL } from '../support/databases.js';
import { TestClock } from '../support/test-server.js';

const LIFE_MS = 60_000;

/** A store with a link of its own, which it closes. */
function redisStore(url: string, lifeMs: number): CeremonyStore {
  const link = new RedisLink(url);
  const store = new RedisCeremonyStore(link, lifeMs);
  store.close = async () => link.onApplicationShutdown();
  return store;
}

interface Kind {
  readonly name: string;
  open(lifeMs: number): CeremonyStore;
}

const MEMORY: Kind = {
  name: 'memory',
  open: (lifeMs) => new MemoryCeremonyStore(new TestClock(), lifeMs),
};
const redis = (url: string): Kind => ({
  name: 'Redis',
  open: (lifeMs) => redisStore(url, lifeMs),
});
const STORES: readonly Kind[] = REDIS_URL === undefined ? [MEMORY] : [MEMORY, redis(REDIS_URL)];

describe.each(STORES)('the ceremony store in $name', ({ open }) => {
  let store: CeremonyStore;
  let session: string;
  beforeAll(() => {
    store = open(LIFE_MS);
  });
  beforeEach(() => {
    session = randomUUID();
  });
  afterAll(() => store.close());

  it('hands out the entry that begins with the label, once', async () => {
    await store.put(session, 'rone{"n":1}');
    await store.put(session, 'rtwo{"n":2}');
    expect(await store.take(session, 'rone', 'r')).toBe('rone{"n":1}');
    expect(await store.take(session, 'rone', 'r')).toBe('rtwo{"n":2}');
    expect(await store.take(session, 'rone', 'r')).toBeUndefined();
  });

  it('hands out the newest entry of the kind when none has the label', async () => {
    await store.put(session, 'rold{}');
    await store.put(session, 'rnew{}');
    await store.put(session, 'aother{}');
    expect(await store.take(session, 'rmissing', 'r')).toBe('rnew{}');
    expect(await store.take(session, 'rmissing', 'r')).toBe('rold{}');
    expect(await store.take(session, 'rmissing', 'r')).toBeUndefined();
    expect(await store.take(session, 'aother', 'a')).toBe('aother{}');
  });

  it('never mixes the kinds', async () => {
    await store.put(session, 'rsame{}');
    expect(await store.take(session, 'asame', 'a')).toBeUndefined();
    expect(await store.take(session, 'rsame', 'r')).toBe('rsame{}');
  });

  it('never mixes the sessions', async () => {
    await store.put(session, 'rmine{}');
    expect(await store.take(randomUUID(), 'rmine', 'r')).toBeUndefined();
    expect(await store.take(session, 'rmine', 'r')).toBe('rmine{}');
  });

  it('keeps entries byte for byte', async () => {
    const entry = `r${'x'.repeat(43)}${JSON.stringify({ name: 'Ünïcødé ✓ \u0000 "\\', n: 1e21 })}`;
    await store.put(session, entry);
    expect(await store.take(session, entry.slice(0, 44), 'r')).toBe(entry);
  });

  it('takes labels literally', async () => {
    await store.put(session, 'rplain{}');
    for (const pattern of ['r.*', 'r%', 'rpla?n', '*']) {
      expect(await store.take(session, pattern, pattern)).toBeUndefined();
    }
    expect(await store.take(session, 'rplain', 'r')).toBe('rplain{}');
  });

  it('keeps at most 8 entries of a session: the oldest goes', async () => {
    for (let n = 0; n < MAX_PER_SESSION + 3; n += 1) await store.put(session, `r${n};{}`);
    const taken: unknown[] = [];
    for (let n = 0; n < MAX_PER_SESSION + 3; n += 1) {
      taken.push(await store.take(session, 'rnone', 'r'));
    }
    const newestFirst = ['r10;{}', 'r9;{}', 'r8;{}', 'r7;{}', 'r6;{}', 'r5;{}', 'r4;{}', 'r3;{}'];
    expect(taken).toEqual([...newestFirst, undefined, undefined, undefined]);
  });

  it('lets one of many parallel takers have an entry', async () => {
    await store.put(session, 'rprize{}');
    const takers = Array.from({ length: 100 }, () => store.take(session, 'rprize', 'r'));
    const taken = (await Promise.all(takers)).filter((entry) => entry !== undefined);
    expect(taken).toEqual(['rprize{}']);
  });

  it('gives parallel takers of the newest an entry each, none twice', async () => {
    const entries = Array.from({ length: MAX_PER_SESSION }, (_, n) => `r${n};{}`);
    await Promise.all(entries.map((entry) => store.put(session, entry)));
    const takers = Array.from({ length: 20 }, () => store.take(session, 'rnone', 'r'));
    const taken = (await Promise.all(takers)).filter((entry) => entry !== undefined);
    expect(taken.sort()).toEqual(entries);
  });

  it('is there', async () => {
    await expect(store.ping()).resolves.toBeUndefined();
  });
});

describe('the ceremony store in memory: its bounds', () => {
  it('H12 forgets sessions whose last begin call is too long ago', async () => {
    const clock = new TestClock();
    const store = new MemoryCeremonyStore(clock, LIFE_MS);
    await store.put('old', 'r1{}');
    clock.advance(LIFE_MS / 2);
    await store.put('young', 'r2{}');
    expect(await store.take('old', 'r1', 'r')).toBe('r1{}');

    await store.put('old', 'r3{}');
    clock.advance(LIFE_MS);
    await store.put('other', 'r4{}');
    expect(await store.take('old', 'r3', 'r')).toBeUndefined();
    expect(await store.take('young', 'r2', 'r')).toBeUndefined();
    expect(await store.take('other', 'r4', 'r')).toBe('r4{}');
  });

  it('H12 holds no more entries than it may: the session that waited longest goes', async () => {
    const store = new MemoryCeremonyStore(new TestClock(), LIFE_MS, 10);
    for (let n = 0; n < 25; n += 1) await store.put(`${n} session`, 'r{}');
    const left: number[] = [];
    for (let n = 0; n < 25; n += 1) {
      if ((await store.take(`${n} session`, 'r', 'r')) !== undefined) left.push(n);
    }
    expect(left).toEqual([15, 16, 17, 18, 19, 20, 21, 22, 23, 24]);
  });

  it('lets a flood from one address push out nobody but itself', async () => {
    const store = new MemoryCeremonyStore(new TestClock(), LIFE_MS, 100);
    const others = Array.from({ length: 10 }, (_, n) => `person ${n} of caller-${n}`);
    for (const name of others) await store.put(name, 'r{}');
    for (let n = 0; n < 1000; n += 1) await store.put(`session ${n} of flooder`, 'r{}');
    for (const name of others) expect(await store.take(name, 'r', 'r')).toBe('r{}');
    expect(await store.take('session 909 of flooder', 'r', 'r')).toBeUndefined();
    expect(await store.take('session 910 of flooder', 'r', 'r')).toBe('r{}');
  });

  it('is fair when the one who flooded has grown small', async () => {
    const store = new MemoryCeremonyStore(new TestClock(), LIFE_MS, 100);
    for (let n = 0; n < 60; n += 1) await store.put(`a${n} first-`, 'r{}');
    for (let n = 0; n < 40; n += 1) await store.put(`b${n} second`, 'r{}');
    for (let n = 0; n < 60; n += 1) await store.take(`a${n} first-`, 'r', 'r');
    for (let n = 0; n < 65; n += 1) await store.put(`c${n}  third`, 'r{}');
    const left = async (name: (n: number) => string, count: number) => {
      const takes = Array.from({ length: count }, (_, n) => store.take(name(n), 'r', 'r'));
      return (await Promise.all(takes)).filter((entry) => entry !== undefined).length;
    };
    expect(await left((n) => `b${n} second`, 40)).toBe(40);
    expect(await left((n) => `c${n}  third`, 65)).toBe(60);
  });

  it('counts right what was taken and what was pushed out', async () => {
    const store = new MemoryCeremonyStore(new TestClock(), LIFE_MS, 10);
    for (let round = 0; round < 50; round += 1) {
      for (let n = 0; n < MAX_PER_SESSION + 2; n += 1) await store.put('busy', `r${n};{}`);
      for (let n = 0; n < MAX_PER_SESSION; n += 1) await store.take('busy', 'r', 'r');
    }
    await store.put('last', 'r{}');
    await store.put('busy', 'r{}');
    expect(await store.take('last', 'r', 'r')).toBe('r{}');
    expect(await store.take('busy', 'r', 'r')).toBe('r{}');
  });
});

if (REDIS_URL !== undefined) betweenInstances(REDIS_URL);

function betweenInstances(url: string): void {
  describe('the ceremony store in Redis: between instances', () => {
    const { open } = redis(url);

    it('shares entries, and lets one instance have each', async () => {
      const [one, two] = [open(LIFE_MS), open(LIFE_MS)];
      try {
        for (let round = 0; round < 20; round += 1) {
          const session = randomUUID();
          await one.put(session, 'rshared{}');
          const takers = Array.from({ length: 10 }, (_, n) =>
            (n % 2 ? one : two).take(session, 'rshared', 'r'),
          );
          const taken = (await Promise.all(takers)).filter((entry) => entry !== undefined);
          expect(taken).toEqual(['rshared{}']);
        }
      } finally {
        await Promise.all([one.close(), two.close()]);
      }
    });

    it('lets Redis forget a session soon after the life of its last ceremony', async () => {
      const store = open(LIFE_MS);
      const connection = new Redis(url);
      try {
        const session = randomUUID();
        await store.put(session, 'rlast{}');
        const [key = ''] = await connection.keys(`*${session}`);
        const left = await connection.pttl(key);
        expect(left).toBeGreaterThan(0);
        expect(left).toBeLessThanOrEqual(LIFE_MS + 1000);
      } finally {
        connection.disconnect();
        await store.close();
      }
    });
  });
}

describe('the ceremony store in Redis: without a Redis', () => {
  it('answers E0052R when the server is not there', async () => {
    const store = redisStore('redis://127.0.0.1:1', LIFE_MS);
    try {
      await expect(store.put('session', 'r{}')).rejects.toMatchObject({ code: 'E0052R' });
      await expect(store.take('session', 'r', 'r')).rejects.toMatchObject({ code: 'E0052R' });
      await expect(store.ping()).rejects.toMatchObject({ code: 'E0052R' });
    } finally {
      await store.close();
    }
  });
});
