import { randomUUID } from 'node:crypto';
import * as fc from 'fast-check';
import { RedisLink } from '../../src/platform/database/redis-link.js';
import {
  MAX_PER_SESSION,
  type CeremonyStore,
} from '../../src/fido/ceremonies/stores/ceremony-store.js';
import { MemoryCeremonyStore } from '../../src/fido/ceremonies/stores/memory-ceremony-store.js';
import { RedisCeremonyStore } from '../../src/fido/ceremonies/stores/redis-ceremony-store.js';
import { TextBlocks } from '../../src/fido/ceremonies/stores/text-blocks.js';
import { REDIS_URL } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { TestClock } from '../support/test-server.js';

const LIFE_MS = 60_000;
/** An entry of some 10 KiB, including its session. */
const HEAVY = `r${'x'.repeat(9700)}`;
/** Room for a hundred of them. */
const MAX_BYTES = 100 * 10_800;
const FLOODER = 'floods';

interface Kind {
  readonly name: string;
  open(clock: TestClock): CeremonyStore;
}

const links: RedisLink[] = [];
afterAll(() => links.forEach((link) => link.onApplicationShutdown()));

const MEMORY: Kind = {
  name: 'memory',
  open: (clock) => new MemoryCeremonyStore({ clock, lifeMs: LIFE_MS, maxBytes: MAX_BYTES }),
};
const url = REDIS_URL;
const STORES =
  url === undefined
    ? [MEMORY]
    : [MEMORY, { name: 'Redis', open: (clock: TestClock) => overRedis(url, clock) }];

describe.each(STORES)('pending ceremonies, bounded in bytes in $name', ({ open }) => {
  let clock: TestClock;
  let store: CeremonyStore;
  /** Keeps runs that share one Redis apart. */
  let run: string;
  beforeEach(async () => {
    clock = new TestClock();
    store = open(clock);
    run = randomUUID();
    await eventually(() => store.ping());
  });

  const idOf = (caller: string, n: number) => `${run} ${n} ${caller}`;

  it('a flood from one address evicts only its own oldest ceremonies', async () => {
    for (let n = 0; n < 10; n += 1) await fill(`other${n}`, 1);
    await fill(FLOODER, 300);
    for (let n = 0; n < 10; n += 1) expect(await left(`other${n}`, 1)).toEqual([0]);
    const stayed = await left(FLOODER, 300);
    expect(stayed.length).toBeGreaterThan(80);
    expect(stayed.length).toBeLessThanOrEqual(96);
    expect(stayed).toEqual(Array.from(stayed, (_, n) => 300 - stayed.length + n));
  });

  it('a full store evicts ceremonies of the largest caller', async () => {
    await fill('caller', 40);
    await fill('second', 30);
    await fill('third-', 60);
    expect((await left('second', 30)).length).toBe(30);
    const first = await left('caller', 40);
    const third = await left('third-', 60);
    expect(Math.abs(first.length - third.length)).toBeLessThanOrEqual(3);
  });

  it('ceremonies that ended leave their room to other callers', async () => {
    await fill('first-', 50);
    await fill('second', 40);
    for (let n = 0; n < 50; n += 1) await store.take(idOf('first-', n), 'r');
    await fill('third-', 70);
    expect((await left('second', 40)).length).toBe(40);
    expect((await left('third-', 70)).length).toBeGreaterThan(45);
  });

  it('a flood for many clients of one key evicts no ceremony of other tenants and keys', async () => {
    const others = ['acme other-key client', 'globex key client', ' 192.0.2.1'];
    for (const other of others) await fill(other, 10);
    for (let n = 0; n < 300; n += 1) await fill(`acme key client-${n}`, 1);
    for (const other of others) expect(await left(other, 10)).toHaveLength(10);
  });

  it('an honest client of a flooding key keeps its newest ceremony', async () => {
    for (let n = 0; n < 200; n += 1) await fill(`acme key client-${n}`, 1);
    await fill('acme key honest', 1);
    for (let n = 200; n < 250; n += 1) await fill(`acme key client-${n}`, 1);
    expect(await left('acme key honest', 1)).toEqual([0]);
  });

  it('a tenant that is alone may fill the whole store', async () => {
    for (let n = 0; n < 95; n += 1) await fill(`acme key client-${n}`, 1);
    expect(await left('acme key client-0', 1)).toEqual([0]);
  });

  it('a flood from an IPv6 /48 evicts no ceremony of other addresses', async () => {
    for (let n = 0; n < 20; n += 1) await fill(` 192.0.2.${n}`, 2);
    for (let n = 0; n < 300; n += 1) await fill(` 2001:db8:1::/48 2001:db8:1:${n}::/64`, 1);
    for (let n = 0; n < 20; n += 1) expect(await left(` 192.0.2.${n}`, 2)).toHaveLength(2);
  });

  it('a ceremony counts for the caller who uses its session now, not for the one who began it', async () => {
    const attacker = 'attacker';
    await fill('victim', 3);
    // Sessions that began behind the victim's address.
    for (let n = 0; n < 60; n += 1) await store.put(sessionOf(attacker, n), 'rsmall{}');
    for (let n = 0; n < 60; n += 1) {
      const session = { id: idOf('collected', n), callers: ['victim'] };
      await store.put(session, 'rsmall{}');
      await store.put({ ...session, callers: [attacker] }, HEAVY);
    }
    await fill('third', 60);
    expect(await left('victim', 3)).toEqual([0, 1, 2]);
  });

  it('expired ceremonies leave the whole store to other callers', async () => {
    await fill('caller', 50);
    clock.advance(LIFE_MS);
    await fill('second', 50);
    await fill('third-', 45);
    expect((await left('second', 50)).length).toBe(50);
    expect((await left('third-', 45)).length).toBe(45);
  });

  it('a session lasts as long as its longest-lived ceremony', async () => {
    const wait = { lifeMs: 10 * LIFE_MS, most: 4 };
    await store.put(sessionOf(FLOODER, 0), 'clong{}', wait);
    await store.put(sessionOf(FLOODER, 0), 'ashort{}');
    await fill(FLOODER, 3, 'ashort{}');
    clock.advance(5 * LIFE_MS);
    await fill('other', 1);
    expect(await store.take(idOf(FLOODER, 0), 'clong{')).toBe('clong{}');
  });

  it('a full store evicts the oldest ceremonies first, whatever their lifetime', async () => {
    const wait = { lifeMs: 10 * LIFE_MS, most: 4 };
    await store.put(sessionOf(FLOODER, 0), HEAVY, wait);
    for (let n = 1; n < 120; n += 1) {
      clock.advance(1);
      await store.put(sessionOf(FLOODER, n), HEAVY, n % 2 ? wait : undefined);
    }
    const stayed = await left(FLOODER, 120);
    expect(stayed).toEqual(
      Array.from({ length: stayed.length }, (_, n) => 120 - stayed.length + n),
    );
    expect(stayed.length).toBeGreaterThan(90);
  });

  it('the store counts ceremonies correctly after they are taken, replaced and evicted', async () => {
    for (let round = 0; round < 30; round += 1) {
      for (let n = 0; n < MAX_PER_SESSION + 2; n += 1)
        await store.put(sessionOf('busy--', 0), HEAVY);
      for (let n = 0; n < MAX_PER_SESSION; n += 1) await store.take(idOf('busy--', 0), 'r');
    }
    await fill('second', 45);
    await fill('third-', 45);
    expect((await left('second', 45)).length).toBe(45);
    expect((await left('third-', 45)).length).toBe(45);
  });

  function sessionOf(caller: string, n: number) {
    return {
      id: idOf(caller, n),
      callers: caller.split(' '),
    };
  }

  /** @param caller the names of its groups, the widest first */
  async function fill(caller: string, count: number, entry = HEAVY) {
    for (let n = 0; n < count; n += 1) await store.put(sessionOf(caller, n), entry);
  }

  /** The caller's sessions that still have their entry. */
  async function left(caller: string, count: number) {
    const numbers: number[] = [];
    for (let n = 0; n < count; n += 1) {
      if ((await store.entriesOf(idOf(caller, n))).length > 0) numbers.push(n);
    }
    return numbers;
  }
});

describe('pending ceremonies that are small', () => {
  it('small ceremonies fill the store too, because each session counts with its own cost', async () => {
    const clock = new TestClock();
    const store = new MemoryCeremonyStore({ clock, lifeMs: LIFE_MS, maxBytes: 100_000 });
    const sessions = Array.from({ length: 1000 }, (_, n) => {
      return { id: `${n}`, callers: [n % 2 ? 'first' : 'second'] };
    });
    for (const session of sessions) await store.put(session, 'r{}');
    const entries = await Promise.all(sessions.map(({ id }) => store.entriesOf(id)));
    const left = entries.flatMap((one, n) => (one.length > 0 ? [n] : []));
    expect(left.length).toBeGreaterThan(50);
    expect(left.length).toBeLessThan(100);
    expect(left).toEqual(Array.from(left, (_, n) => 1000 - left.length + n));
  });
});

describe('TextBlocks', () => {
  const anyText = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.string({ unit: 'grapheme', minLength: 400, maxLength: 700 }),
    fc.integer({ min: 500, max: 520 }).map((length) => 'x'.repeat(length)),
    fc.integer({ min: 1015, max: 1030 }).map((length) => 'y'.repeat(length)),
  );

  it('returns texts unchanged, whatever texts are added and removed in between', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(anyText, fc.nat(5)), { maxLength: 60 }), (steps) => {
        const blocks = new TextBlocks();
        const kept: { text: string; number: number }[] = [];
        for (const [text, removed] of steps) {
          kept.push({ text, number: blocks.put(text) });
          const [gone] = removed > 2 ? kept.splice(removed % kept.length, 1) : [];
          if (gone) blocks.remove(gone.number);
          for (const one of kept) expect(blocks.read(one.number)).toBe(one.text);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('recognises a text by its first characters', () => {
    const blocks = new TextBlocks();
    const short = blocks.put('rab');
    const long = blocks.put(`rabc{${'ü'.repeat(2000)}`);
    expect(['r', 'rab', 'rabc', 'a'].map((text) => blocks.startsWith(short, text))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(blocks.startsWith(long, 'rabc{')).toBe(true);
    expect(blocks.bytesOf(short)).toBe(512);
    expect(blocks.bytesOf(long)).toBe(4096);
  });

  it('reuses the memory of removed texts', () => {
    const blocks = new TextBlocks();
    const numbers = new Set<number>();
    const stays = blocks.put('stays');
    for (let n = 0; n < 10_000; n += 1) {
      const number = blocks.put('z'.repeat(n % 3000));
      numbers.add(number);
      blocks.remove(number);
    }
    expect(numbers.size).toBeLessThan(10);
    expect(blocks.read(stays)).toBe('stays');
  });
});

function overRedis(url: string, clock: TestClock): CeremonyStore {
  const link = new RedisLink(url);
  links.push(link);
  return new RedisCeremonyStore(link, {
    name: 'ceremonies',
    clock,
    lifeMs: LIFE_MS,
    maxBytes: MAX_BYTES,
  });
}
