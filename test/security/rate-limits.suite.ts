import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { RedisLink } from '../../src/platform/database/redis-link.js';
import { SharedLimiter } from '../../src/platform/access/limits/shared-limiter.js';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import { issueKey } from '../support/application-keys.js';
import { Backend } from '../support/backend.js';
import type { Answer } from '../support/client.js';
import { REDIS_URL } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { SITES, Site } from '../support/site.js';
import { TestClock, TestServer } from '../support/test-server.js';

const LIMIT = 40;
/** The additional calls that each instance may let pass: a twentieth of the limit. */
const PORTION = 2;

/** What one instance counts with: its limiter and, where it shares its counts, its link to Redis. */
interface Instance {
  readonly limiter: SharedLimiter;
  readonly link: RedisLink | null;
}

/** It moves only where a test moves it: otherwise a slow machine would win calls, and seconds of a wait. */
const clock = new TestClock();
clock.standAt(Date.now());

describe('rate limits', () => {
  const links: RedisLink[] = [];
  afterAll(() => links.forEach((link) => link.onApplicationShutdown()));

  it('a limit in memory lets exactly the allowed number of calls pass', async () => {
    expect(await passed([instance(null)], 'alone', LIMIT + 10)).toBe(LIMIT);
  });

  it('a limit blocks no caller for a day after the clock was put back by a day', async () => {
    const alone = instance(null);
    await passed([alone], 'alone', LIMIT + 10);
    clock.advance(-1000);
    expect(alone.limiter.use('alone').wait).toBe(61);
    clock.advance(-24 * 3_600_000);
    expect(await passed([alone], 'alone', LIMIT + 10)).toBe(LIMIT);
  });

  const url = REDIS_URL;
  if (url !== undefined) {
    it('a limit applies to two instances with Redis together, within a twentieth', async () => {
      const both = (await openBoth(url)).map((link) => instance(link));
      const count = await passed(both, randomUUID(), 3 * LIMIT);
      expect(count).toBeGreaterThanOrEqual(LIMIT);
      expect(count).toBeLessThanOrEqual(LIMIT + 2 * PORTION);
      expect(await passed(both, randomUUID(), LIMIT / 2)).toBe(LIMIT / 2);
    });

    it('an exhausted limit applies at an instance that has not seen the caller', async () => {
      const [busy, fresh] = await openBoth(url);
      const key = randomUUID();
      await passed([instance(busy)], key, 2 * LIMIT);
      expect(await passed([instance(fresh)], key, 10)).toBeLessThanOrEqual(PORTION);
    });
  }

  it('a limit applies in each instance separately while Redis is unavailable', async () => {
    const away = instance(open('redis://127.0.0.1:1'));
    expect(await passed([away], randomUUID(), LIMIT + 10)).toBe(LIMIT);
  });

  it('a limit ends with its window', async () => {
    const one = instance(null);
    expect(await passed([one], 'window', LIMIT + 1)).toBe(LIMIT);
    clock.advance(30_000);
    expect(one.limiter.use('window').wait).toBeGreaterThan(0);
    clock.advance(30_000);
    expect(one.limiter.use('window').wait).toBe(0);
  });

  it('a limit counts the cost of a call, and accepts a call while anything is left', () => {
    const { limiter } = instance(null);
    expect([LIMIT - 1, 16].map((cost) => limiter.use('dear', cost).wait)).toEqual([0, 0]);
    expect(limiter.use('dear').wait).toBeGreaterThan(0);
  });

  it('a limiter keeps 50,000 callers and forgets those that called longest ago', () => {
    const { limiter } = instance(null);
    limiter.use('first', LIMIT);
    for (let n = 0; n < 49_999; n += 1) limiter.use(`${'\u754c'.repeat(250)}${n}`);
    expect(limiter.use('first').wait).toBeGreaterThan(0);
    for (let n = 0; n < 50_000; n += 1) limiter.use(`other ${n}`);
    expect(limiter.use('first').wait).toBe(0);
  });

  function open(url: string) {
    const link = new RedisLink(url);
    links.push(link);
    return link;
  }

  async function openBoth(url: string) {
    const both = [open(url), open(url)] as const;
    await eventually(() => expect(both.every(({ connected }) => connected)).toBe(true));
    return both;
  }
});

/** Calls a minute for one name from one address. */
const RATE = 60;
const PROXIED = { trustProxy: 1, rateUser: RATE };

describe.each(SITES)('the limit of a user name, on %s', (name) => {
  let site: Site;
  beforeAll(async () => {
    site = await Site.start(name, PROXIED);
    // No minute ends during the calls.
    for (const one of site.servers) one.clock.standAt(Date.now());
  });
  afterAll(() => site.stop());

  /** Somebody at an address, at the next instance each time. */
  const at = (address: string, turn = 0) => {
    const client = new FidoClient(site.turn(turn).url, { origin: site.first.url });
    client.headers['x-forwarded-for'] = address;
    return client;
  };

  /** As many begin calls as let the limit be used up on every instance; the last answers. */
  async function useUp(address: string, username: string) {
    const callers = site.servers.map((_, turn) => at(address, turn));
    const call = () => Promise.all(callers.map((caller) => caller.beginAuthentication(username)));
    for (let n = 0; n < 3 * RATE; n += 1) await call();
    return call();
  }

  it('a user name exhausted by one address can sign in from another (E0040R)', async () => {
    const alice = at('192.0.2.2');
    expect((await alice.register('alice')).status).toBe(200);
    const answers = useUp('192.0.2.1', 'alice');
    for (let n = 0; n < 10; n += 1) expect((await alice.signIn('alice')).status).toBe(200);
    for (const answer of await answers) expectRefusal(answer, 'E0040R');
    for (const [turn] of site.servers.entries()) {
      const again = at('192.0.2.3', turn);
      expect((await again.beginRegistration('alice')).status).toBe(200);
    }
    expect((await alice.signIn('alice')).status).toBe(200);
    expect((await at('192.0.2.5').register('alice')).status).toBe(200);
  });

  it('an exhausted user name does not stop other users behind the same address (E0040R)', async () => {
    const bob = at('192.0.2.4');
    expect((await bob.register('bob')).status).toBe(200);
    for (const answer of await useUp('192.0.2.4', 'carol')) expectRefusal(answer, 'E0040R');
    expect((await bob.signIn('bob')).status).toBe(200);
  });
});

describe('the limits of an IPv6 site', () => {
  it('each IPv6 /64 has the limit of one address, and each /48 sixteen times as much (E0040R)', async () => {
    const site = await Site.start(SITES[0] ?? '', { trustProxy: 1, rateAddress: 2 });
    site.first.clock.standAt(Date.now());
    const code = async (address: string) => {
      const client = new FidoClient(site.first.url);
      client.headers['x-forwarded-for'] = address;
      return (await client.beginAuthentication('nobody')).body.errorCode;
    };
    expect([await code('2001:db8:7:1::1'), await code('2001:db8:7:1::2')]).toEqual([
      undefined,
      undefined,
    ]);
    expect(await code('2001:db8:7:1::3')).toBe('E0040R');
    const others = Array.from({ length: 40 }, (_, n) => `2001:db8:7:${n + 2}::1`);
    const codes: unknown[] = [];
    for (const address of others) codes.push(await code(address));
    expect(codes.indexOf('E0040R')).toBe(30);
    expect(await code('2001:db8:8:1::1')).toBeUndefined();
    await site.stop();
  });
});

describe('the header RateLimit (draft-ietf-httpapi-ratelimit-headers-10) on the four calls', () => {
  let server: TestServer;
  beforeAll(async () => {
    const options = { trustProxy: 1, rateAddress: 12, rateUser: 4, rateCertificates: 10 };
    server = await TestServer.start({ options });
    server.clock.standAt(1_700_000_000_000);
  });
  afterAll(() => server.stop());

  const at = (address: string, attestation: 'packed' | 'none' = 'none') => {
    const authenticator = new SoftAuthenticator({ attestation });
    const client = new FidoClient(server.url, { authenticator });
    client.headers['x-forwarded-for'] = address;
    return client;
  };
  const limitOf = ({ headers }: Answer) => headers.get('ratelimit');
  const POLICY = '"address";q=12;w=60, "user";q=4;w=60';

  it('RateLimit reports what remains to the caller and the user name, and when it resets', async () => {
    const anna = at('192.0.2.1');
    const begun = await anna.beginRegistration('anna');
    expect(begun.headers.get('ratelimit-policy')).toBe(POLICY);
    expect(limitOf(begun)).toBe('"address";r=11;t=60, "user";r=3;t=60');
    server.clock.advance(20_500);
    const registered = await anna.completeRegistration(anna.create(begun));
    expect(limitOf(registered)).toBe('"address";r=10;t=40, "user";r=2;t=40');
    const other = await anna.beginAuthentication('berta');
    expect(limitOf(other)).toBe('"address";r=9;t=40, "user";r=3;t=60');
    server.clock.advance(40_000);
    const { headers } = await anna.beginAuthentication('anna');
    expect(headers.get('ratelimit')).toBe('"address";r=11;t=60, "user";r=3;t=60');
  });

  it('RateLimit reports only the caller in a refusal before a user name is known', async () => {
    const answer = await at('192.0.2.2').completeAuthentication({});
    expectRefusal(answer, 'E0024R');
    expect(limitOf(answer)).toBe('"address";r=11;t=60');
    expect(answer.headers.get('ratelimit-policy')).toBe(POLICY);
  });

  it('RateLimit reports 0 in a refusal of too many calls (E0040R)', async () => {
    const user = at('192.0.2.3');
    const address = at('192.0.2.4');
    for (let n = 0; n < 4; n += 1) await user.beginAuthentication('nobody');
    const byUser = await user.beginAuthentication('nobody');
    expectRefusal(byUser, 'E0040R');
    expect(byUser.headers.get('retry-after')).toBe('60');
    expect(limitOf(byUser)).toBe('"address";r=7;t=60, "user";r=0;t=60');
    for (let n = 0; n < 12; n += 1) await address.beginAuthentication(`user-${n}`);
    const byAddress = await address.beginAuthentication('one-more');
    expectRefusal(byAddress, 'E0040R');
    expect(limitOf(byAddress)).toBe('"address";r=0;t=60');
  });

  it('RateLimit reports the limit of certificates in their refusal (E0040R)', async () => {
    const enrol = (name: string) => at('192.0.2.5', 'packed').register(name, DIRECT);
    const answers = [await enrol('one'), await enrol('two')];
    const [, refused] = answers;
    expectRefusal(refused as Answer, 'E0040R');
    expect(limitOf(refused as Answer)).toBe('"certificates";r=0;t=6');
    expect(refused?.headers.get('ratelimit-policy')).toBe('"certificates";q=1;w=6');
  });

  it('RateLimit reports the IPv6 site if it has less left than the network (E0040R)', async () => {
    const networks = Array.from({ length: 16 }, (_, n) => at(`2001:db8:1:${n + 1}::1`));
    for (const network of networks) {
      for (let n = 0; n < 12; n += 1) await network.completeAuthentication({});
    }
    const answer = await at('2001:db8:1:99::1').completeAuthentication({});
    expectRefusal(answer, 'E0040R');
    expect(limitOf(answer)).toBe('"address";r=0;t=60');
  });
});

const DIRECT = { attestation: 'direct' };

describe('the limit of certificates', () => {
  it('the limit of certificates stops attested registrations of an address only (E0040R)', async () => {
    const server = await TestServer.start({ options: { trustProxy: 1, rateCertificates: 20 } });
    // The calls may take longer than the six seconds of the limit.
    server.clock.standAt(Date.now());
    const newUser = (address: string, attestation: 'packed' | 'none') => {
      const authenticator = new SoftAuthenticator({ attestation });
      const client = new FidoClient(server.url, { authenticator });
      client.headers['x-forwarded-for'] = address;
      return client;
    };
    const enrol = (name: string, address = '192.0.2.1') =>
      newUser(address, 'packed').register(name, { attestation: 'direct' });
    const plain = newUser('192.0.2.1', 'none');
    // Two certificates in six seconds.
    for (const name of ['first', 'second']) {
      expect(await enrol(name)).toMatchObject({ body: { attestation: { type: 'basic' } } });
    }
    const refused = await enrol('third');
    expectRefusal(refused, 'E0040R');
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(6);
    expect((await plain.register('plain')).status).toBe(200);
    expect((await plain.signIn('plain')).status).toBe(200);
    expect((await enrol('elsewhere', '192.0.2.2')).status).toBe(200);
    server.clock.advance(6000);
    expect((await enrol('third')).status).toBe(200);
    await server.stop();
  });

  it('the limit of certificates counts all clients of an application key together (E0040R)', async () => {
    const options = { rateCertificates: 10, rateKeyClients: 2 };
    const server = await TestServer.start({ options });
    server.clock.standAt(Date.now());
    const keyed = await Promise.all(
      [1, 2].map(() => issueKey(server.url, { tenant: 'default', scopes: ['ceremonies'] })),
    );
    /** Registers a user with one certificate, for a client of its own. */
    const enrol = (name: string, by: number) => {
      const authenticator = new SoftAuthenticator({ attestation: 'packed' });
      const settings = { client: `192.0.2.${name.length}`, authenticator };
      return new Backend(server.url, keyed[by]?.secret ?? '', settings).register(name, DIRECT);
    };
    for (const name of ['a', 'bb']) expect((await enrol(name, 0)).status).toBe(200);
    expectRefusal(await enrol('ccc', 0), 'E0040R');
    expect((await enrol('dddd', 1)).status).toBe(200);
    await server.stop();
  });
});

function instance(link: RedisLink | null): Instance {
  return {
    limiter: new SharedLimiter({ name: 'test', points: LIMIT, seconds: 60 }, clock, link),
    link,
  };
}

/** How many of the calls pass, the instances taking turns. */
async function passed(instances: readonly Instance[], key: string, calls: number) {
  let count = 0;
  for (let n = 0; n < calls;) {
    for (const { limiter, link } of instances) {
      if (limiter.use(key).wait === 0) count += 1;
      n += 1;
      // Calls do not wait for their reports. Here all have arrived, because Redis answers in order.
      if (link?.connected) await link.ask(() => link.client.ping());
      await nextTurn();
    }
  }
  return count;
}
