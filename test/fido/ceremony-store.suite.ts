import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { RedisLink } from '../../src/platform/database/redis-link.js';
import {
  MAX_PER_SESSION,
  type CeremonyStore,
} from '../../src/fido/ceremonies/stores/ceremony-store.js';
import { MemoryCeremonyStore } from '../../src/fido/ceremonies/stores/memory-ceremony-store.js';
import { RedisCeremonyStore } from '../../src/fido/ceremonies/stores/redis-ceremony-store.js';
import { REDIS_URL } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { TestClock } from '../support/test-server.js';

const LIFE_MS = 60_000;
const MAX_BYTES = 8 * 1024 * 1024;
const of = (id: string) => ({ id, callers: ['caller'] });

const links: RedisLink[] = [];
afterAll(() => links.forEach((link) => link.onApplicationShutdown()));

interface Kind {
  readonly name: string;
  open(lifeMs: number): CeremonyStore;
}

const MEMORY: Kind = {
  name: 'memory',
  open: (lifeMs) =>
    new MemoryCeremonyStore({ clock: new TestClock(), lifeMs, maxBytes: MAX_BYTES }),
};
const STORES: readonly Kind[] = REDIS_URL === undefined ? [MEMORY] : [MEMORY, redis(REDIS_URL)];

describe.each(STORES)('the ceremony store in $name', ({ open }) => {
  let store: CeremonyStore;
  let session: string;
  beforeAll(async () => {
    store = open(LIFE_MS);
    await eventually(() => store.ping());
  });
  beforeEach(() => {
    session = randomUUID();
  });

  it('returns the entry with the requested label once, and no other entry', async () => {
    await store.put(of(session), 'rone{"n":1}');
    await store.put(of(session), 'rtwo{"n":2}');
    expect(await store.take(session, 'rone{')).toBe('rone{"n":1}');
    expect(await store.take(session, 'rone{')).toBeUndefined();
    expect(await store.take(session, 'rtwo{')).toBe('rtwo{"n":2}');
  });

  it('returns the entries of a kind from the newest to the oldest', async () => {
    await store.put(of(session), 'rold{}');
    await store.put(of(session), 'rnew{}');
    await store.put(of(session), 'aother{}');
    expect(await store.take(session, 'r')).toBe('rnew{}');
    expect(await store.take(session, 'r')).toBe('rold{}');
    expect(await store.take(session, 'r')).toBeUndefined();
    expect(await store.take(session, 'a')).toBe('aother{}');
  });

  it('lists the entries of a session, oldest first, without removing them', async () => {
    expect(await store.entriesOf(session)).toEqual([]);
    await store.put(of(session), 'rold{}');
    await store.put(of(session), 'anew{}');
    expect(await store.entriesOf(session)).toEqual(['rold{}', 'anew{}']);
    expect(await store.take(session, 'rold{')).toBe('rold{}');
    expect(await store.entriesOf(session)).toEqual(['anew{}']);
  });

  it('the ceremony store does not return an entry of another kind', async () => {
    await store.put(of(session), 'rsame{}');
    expect(await store.take(session, 'asame')).toBeUndefined();
    expect(await store.take(session, 'rsame')).toBe('rsame{}');
  });

  it('the ceremony store does not return an entry of another session', async () => {
    await store.put(of(session), 'rmine{}');
    expect(await store.take(randomUUID(), 'rmine')).toBeUndefined();
    expect(await store.take(session, 'rmine')).toBe('rmine{}');
  });

  it('returns an entry byte for byte as it was put', async () => {
    const entry = `r${'x'.repeat(43)}${JSON.stringify({ name: 'Ünïcødé ✓ \u0000 "\\', n: 1e21 })}`;
    await store.put(of(session), entry);
    expect(await store.take(session, entry.slice(0, 44))).toBe(entry);
  });

  it('treats a pattern in a label as literal text', async () => {
    await store.put(of(session), 'rplain{}');
    for (const pattern of ['r.*', 'r%', 'rpla?n', '*']) {
      expect(await store.take(session, pattern)).toBeUndefined();
    }
    expect(await store.take(session, 'rplain')).toBe('rplain{}');
  });

  it('keeps at most 8 entries of a session and evicts the oldest', async () => {
    for (let n = 0; n < MAX_PER_SESSION + 3; n += 1) await store.put(of(session), `r${n};{}`);
    const taken: unknown[] = [];
    for (let n = 0; n < MAX_PER_SESSION + 3; n += 1) {
      taken.push(await store.take(session, 'r'));
    }
    const newestFirst = ['r10;{}', 'r9;{}', 'r8;{}', 'r7;{}', 'r6;{}', 'r5;{}', 'r4;{}', 'r3;{}'];
    expect(taken).toEqual([...newestFirst, undefined, undefined, undefined]);
  });

  it('keeps at most the allowed number of long-lived entries of a session', async () => {
    const wait = { lifeMs: 10 * LIFE_MS, most: 2 };
    await store.put(of(session), 'rone{}');
    for (const name of ['a', 'b', 'c']) await store.put(of(session), `c${name}{}`, wait);
    expect(await store.entriesOf(session)).toEqual(['rone{}', 'cb{}', 'cc{}']);
    for (let n = 0; n < MAX_PER_SESSION - 2; n += 1) await store.put(of(session), `r${n}{}`);
    expect((await store.entriesOf(session)).slice(0, 2)).toEqual(['cb{}', 'cc{}']);
    await store.put(of(session), 'rlast{}');
    expect(await store.entriesOf(session)).not.toContain('cb{}');
  });

  it('returns the newest entry that matches one of several labels', async () => {
    for (const entry of ['aold{}', 'cnew{}', 'rother{}']) await store.put(of(session), entry);
    expect(await store.take(session, 'a', 'c')).toBe('cnew{}');
    expect(await store.take(session, 'anone{', 'cold{')).toBeUndefined();
    expect(await store.take(session, 'aold{', 'cold{')).toBe('aold{}');
  });

  it('returns an entry to only one of 100 parallel callers', async () => {
    await store.put(of(session), 'rprize{}');
    const takers = Array.from({ length: 100 }, () => store.take(session, 'rprize'));
    const taken = (await Promise.all(takers)).filter((entry) => entry !== undefined);
    expect(taken).toEqual(['rprize{}']);
  });

  it('returns a different entry to each parallel caller', async () => {
    const entries = Array.from({ length: MAX_PER_SESSION }, (_, n) => `r${n};{}`);
    await Promise.all(entries.map((entry) => store.put(of(session), entry)));
    const takers = Array.from({ length: 20 }, () => store.take(session, 'r'));
    const taken = (await Promise.all(takers)).filter((entry) => entry !== undefined);
    expect(taken.sort()).toEqual(entries);
  });

  it('the ceremony store answers a ping', async () => {
    await expect(store.ping()).resolves.toBeUndefined();
  });
});

if (REDIS_URL !== undefined) betweenInstances(REDIS_URL);

function betweenInstances(url: string): void {
  describe('the ceremony store in Redis, shared by instances', () => {
    const { open } = redis(url);

    it('returns a shared entry to only one of two instances', async () => {
      const one = open(LIFE_MS);
      const two = open(LIFE_MS);
      for (const store of [one, two]) await eventually(() => store.ping());
      for (let round = 0; round < 20; round += 1) {
        const session = randomUUID();
        await one.put(of(session), 'rshared{}');
        const takers = Array.from({ length: 10 }, (_, n) =>
          (n % 2 ? one : two).take(session, 'rshared'),
        );
        const taken = (await Promise.all(takers)).filter((entry) => entry !== undefined);
        expect(taken).toEqual(['rshared{}']);
      }
    });

    it('Redis deletes a session within a second after its last ceremony can no longer be completed', async () => {
      const store = open(LIFE_MS);
      const connection = new Redis(url);
      try {
        await eventually(() => store.ping());
        const session = randomUUID();
        await store.put(of(session), 'rlast{}');
        const [key = ''] = await connection.keys(`*${session}`);
        const left = await connection.pttl(key);
        expect(left).toBeGreaterThan(0);
        expect(left).toBeLessThanOrEqual(LIFE_MS + store.toleranceMs + 1000);
      } finally {
        connection.disconnect();
      }
    });
  });
}

describe('the ceremony store in Redis, without a connection', () => {
  it('put, take and ping fail if Redis is unreachable (E0052R)', async () => {
    const store = redisStore('redis://127.0.0.1:1', LIFE_MS);
    await expect(store.put(of('session'), 'r{}')).rejects.toMatchObject({ code: 'E0052R' });
    await expect(store.take('session', 'r')).rejects.toMatchObject({ code: 'E0052R' });
    await expect(store.ping()).rejects.toMatchObject({ code: 'E0052R' });
  });
});

/** A store with its own connection. */
function redisStore(url: string, lifeMs: number): CeremonyStore {
  const link = new RedisLink(url);
  links.push(link);
  return new RedisCeremonyStore(link, {
    name: 'ceremonies',
    clock: new TestClock(),
    lifeMs,
    maxBytes: MAX_BYTES,
  });
}

function redis(url: string): Kind {
  return {
    name: 'Redis',
    open: (lifeMs) => redisStore(url, lifeMs),
  };
}
