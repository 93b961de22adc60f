import { Redis } from 'ioredis';
import { PrivateInstance } from '../../scripts/lib/services/private-instance.mjs';
import { CeremonyStore } from '../../src/fido/ceremonies/ceremony-store.js';
import { eventually } from '../support/eventually.js';
import { FaultyProxy } from '../support/faulty-proxy.js';
import { FidoClient } from '../support/fido-client.js';
import { countOf } from '../support/rows.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { TestServer } from '../support/test-server.js';

describe('5.24 a Redis that loses, refuses or resurrects what it was given', () => {
  let primary: PrivateInstance;
  let replica: PrivateInstance;
  let proxy: FaultyProxy;
  let server: TestServer;
  let client: FidoClient;
  let redis: Redis;
  let spare: Redis;

  beforeAll(async () => {
    [primary, replica] = await Promise.all([PrivateInstance.redis(), PrivateInstance.redis()]);
    await Promise.all([primary.start(), replica.start()]);
    [redis, spare] = [new Redis(primary.url), new Redis(replica.url)];
    for (const connection of [redis, spare]) connection.on('error', () => undefined);
    proxy = await FaultyProxy.before(primary.url);
    server = await TestServer.start({ options: { sessions: proxy.urlOf(primary.url) } });
  }, 60_000);
  beforeEach(() => {
    client = new FidoClient(server.url);
  });
  afterAll(async () => {
    await server.stop();
    redis.disconnect();
    spare.disconnect();
    await proxy.close();
    await Promise.all([primary.remove(), replica.remove()]);
  });

  const healed = () =>
    eventually(async () => {
      expect((await client.get('/health/ready')).status).toBe(200);
    }, 5_000);

  const alarms = () => countOf(server, "events WHERE kind = 'clone-alarm'");

  it('FLUSHALL: what was pending is E0024R, a new try works (FL17)', async () => {
    await client.register('flushed');
    const begun = await client.beginAuthentication('flushed');
    await redis.flushall();
    expectRefusal(await client.completeAuthentication(client.assert(begun)), 'E0024R');
    expect((await client.signIn('flushed')).status).toBe(200);
  });

  it('no memory left (noeviction): 503, never a challenge that is not kept (FL17)', async () => {
    await redis.config('SET', 'maxmemory', '1');
    const begun = await client.beginRegistration('hungry');
    expectRefusal(begun, 'E0052R', 503);
    expect(begun.body).not.toHaveProperty('challenge');
    await redis.config('SET', 'maxmemory', '0');
    expect((await client.register('hungry')).status).toBe(200);
  });

  it('a command whose answer was lost is not sent again: 503, and the challenge is burnt', async () => {
    await client.register('unlucky');
    const begun = await client.beginAuthentication('unlucky');
    const body = client.assert(begun);
    proxy.arm('evalsha', 'lose-answer');
    expectRefusal(await client.completeAuthentication(body), 'E0052R', 503);
    await healed();
    expectRefusal(await client.completeAuthentication(body), 'E0024R');
    expect((await client.signIn('unlucky')).status).toBe(200);
  });

  it('a restart that reads back an old file accepts no ceremony twice (FL18)', async () => {
    await client.register('restarted');
    const body = client.assert(await client.beginAuthentication('restarted'), { signCount: 0 });
    await redis.save();
    const signUp = new FidoClient(server.url);
    const begun = await signUp.beginRegistration('signed-up');
    const signingUp = signUp.create(begun);
    await redis.save();
    // Counters of 0, as synced passkeys have them: the counter cannot tell a replay.
    expect((await signUp.completeRegistration(signingUp)).status).toBe(200);
    expect([200, 401]).toContain((await client.completeAuthentication(body)).status);
    await primary.end('SIGKILL');
    await primary.start();
    expect(await redis.keys('*')).not.toEqual([]);
    await healed();
    expectRefusal(await client.completeAuthentication(body), 'E0024R');
    expectRefusal(await signUp.completeRegistration(signingUp), 'E0024R');
  });

  it('a replica that was behind accepts no ceremony twice, not even an older one (FL18)', async () => {
    const passkey = new FidoClient(server.url);
    const registered = passkey.create(await passkey.beginRegistration('synced'), { signCount: 0 });
    expect((await passkey.completeRegistration(registered)).status).toBe(200);
    const { port } = new URL(primary.url);
    await spare.replicaof('127.0.0.1', port);
    const older = passkey.assert(await passkey.beginAuthentication('synced'), { signCount: 0 });
    const newer = passkey.assert(await passkey.beginAuthentication('synced'), { signCount: 0 });
    await eventually(async () => expect(await spare.dbsize()).toBe(await redis.dbsize()));
    await eventually(async () => {
      const [key = ''] = await spare.keys('*');
      expect(await spare.llen(key)).toBeGreaterThan(0);
    });
    await spare.replicaof('NO', 'ONE');
    for (const body of [older, newer]) {
      expect((await passkey.completeAuthentication(body)).status).toBe(200);
    }
    const before = await alarms();
    proxy.moveTo(replica.url);
    await healed();
    for (const body of [older, newer, older]) {
      expectRefusal(await passkey.completeAuthentication(body), 'E0024R');
    }
    expect(await alarms()).toBe(before);
    expect((await passkey.signIn('synced', { signCount: 0 })).status).toBe(200);
    proxy.moveTo(primary.url);
    await healed();
  });

  it('READONLY: an old primary that became a replica is left for the new one (FL18)', async () => {
    await redis.replicaof('127.0.0.1', new URL(replica.url).port);
    expectRefusal(await client.beginRegistration('too-early'), 'E0052R', 503);
    proxy.moveTo(replica.url);
    await healed();
    expect((await client.register('late')).status).toBe(200);
    proxy.moveTo(primary.url);
    await redis.replicaof('NO', 'ONE');
    await healed();
  });
});

describe('a ceremony that a store hands out again, whatever the reason (FL18)', () => {
  it('is refused by the database: no false clone alarm, no second credential', async () => {
    const server = await TestServer.start();
    const store = server.get(CeremonyStore);
    const kept: [session: string, entry: string][] = [];
    const put = store.put.bind(store);
    store.put = async (session, entry) => {
      kept.push([session, entry]);
      await put(session, entry);
    };
    const resurrect = () => Promise.all(kept.map(([session, entry]) => put(session, entry)));

    const client = new FidoClient(server.url);
    const signingUp = client.create(await client.beginRegistration('lazarus'));
    expect((await client.completeRegistration(signingUp)).status).toBe(200);
    await resurrect();
    expectRefusal(await client.completeRegistration(signingUp), 'E0036R');

    for (const signCount of [0, 7]) {
      kept.length = 0;
      const username = `lazarus-${signCount}`;
      const person = new FidoClient(server.url);
      const made = person.create(await person.beginRegistration(username), { signCount: 0 });
      expect((await person.completeRegistration(made)).status).toBe(200);
      const body = person.assert(await person.beginAuthentication(username), { signCount });
      expect((await person.completeAuthentication(body)).status).toBe(200);
      await resurrect();
      expectRefusal(await person.completeAuthentication(body), 'E0024R');
    }
    expect(await countOf(server, "events WHERE kind = 'clone-alarm'")).toBe(0);
    await server.stop();
  });
});
