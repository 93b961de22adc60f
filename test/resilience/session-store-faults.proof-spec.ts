import { Redis } from 'ioredis';
import { PrivateInstance } from '../../scripts/lib/services/private-instance.mjs';
import {
  CeremonyStore,
  type CallerSession,
} from '../../src/fido/ceremonies/stores/ceremony-store.js';
import { SoftAuthenticator } from '../../packages/testing/src/soft-authenticator.js';
import { EVERY_DATABASE } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { AdminClient } from '../support/admin-client.js';
import { FaultyProxy } from '../support/faulty-proxy.js';
import { FidoClient } from '../support/fido-client.js';
import { report, sized } from '../support/harness.js';
import { describeWith } from '../support/needs.js';
import { countOf, rowsOf } from '../support/rows.js';
import { expectRefusal } from '../support/refusals/refusal.js';
import { TestServer } from '../support/test-server.js';

const describeRedis = describeWith('mariadbd and redis-server');

describeRedis('a Redis that loses or refuses data or returns old data', () => {
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
  });
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
    });

  const notReady = {
    status: 503,
    body: { errorCode: 'E0052R', details: { sessions: { status: 'down' } } },
  };
  const alarms = () => countOf(server, "events WHERE kind = 'clone-alarm'");

  it('refuses pending ceremonies after FLUSHALL, and a new attempt works (E0024R)', async () => {
    await client.register('flushed');
    const begun = await client.beginAuthentication('flushed');
    await redis.flushall();
    expectRefusal(await client.completeAuthentication(client.assert(begun)), 'E0024R');
    expect((await client.signIn('flushed')).status).toBe(200);
  });

  it('answers 503 while Redis has no memory, and issues no challenge that is not stored', async () => {
    await redis.config('SET', 'maxmemory', '1');
    const begun = await client.beginRegistration('hungry');
    expectRefusal(begun, 'E0052R', 503);
    expect(begun.body).not.toHaveProperty('challenge');
    expect(await client.get('/health/ready')).toMatchObject(notReady);
    await redis.config('SET', 'maxmemory', '0');
    await healed();
    expect((await client.register('hungry')).status).toBe(200);
  });

  it('answers 503 if an answer of Redis is lost, and the challenge is void', async () => {
    await client.register('unlucky');
    const begun = await client.beginAuthentication('unlucky');
    const body = client.assert(begun);
    proxy.arm('evalsha', 'lose-answer');
    expectRefusal(await client.completeAuthentication(body), 'E0052R', 503);
    await healed();
    expectRefusal(await client.completeAuthentication(body), 'E0024R');
    expect((await client.signIn('unlucky')).status).toBe(200);
  });

  it('accepts no ceremony twice after Redis has restarted from an old file', async () => {
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

  it('accepts no ceremony twice after the change to a lagging replica', async () => {
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

  it('leaves a Redis that has become read-only for the new primary', async () => {
    await redis.replicaof('127.0.0.1', new URL(replica.url).port);
    expect(await client.get('/health/ready')).toMatchObject(notReady);
    expectRefusal(await client.beginRegistration('too-early'), 'E0052R', 503);
    proxy.moveTo(replica.url);
    await healed();
    expect((await client.register('late')).status).toBe(200);
    proxy.moveTo(primary.url);
    await redis.replicaof('NO', 'ONE');
    await healed();
  });
});

describeRedis.each([
  ['answers INFO', '+info'],
  ['does not answer INFO', '-info'],
])('a Redis that %s and is set back to an old file', (_, info) => {
  const ROUNDS = sized(2);
  let instance: PrivateInstance;
  let control: Redis;
  beforeAll(async () => {
    instance = await PrivateInstance.redis(['--enable-debug-command', 'local']);
    await instance.start();
    control = new Redis(instance.url);
    await control.acl('SETUSER', 'default', info);
  });
  afterAll(async () => {
    control.disconnect();
    await instance.remove();
  });

  it.each(EVERY_DATABASE)('accepts no ceremony twice on %s and disables no key', async (on) => {
    const server = await TestServer.start({ on, options: { sessions: instance.url } });
    await server.addRelyingParty('strict', {
      domain: 'strict.example',
      origins: ['https://strict.example'],
      policy: { counter: 'disable' },
    });
    const settings = { relyingParty: 'strict.example' };
    const visitor = (authenticator?: SoftAuthenticator) =>
      new FidoClient(server.url, { ...settings, ...(authenticator && { authenticator }) });
    const completed = (name: string) =>
      rowsOf(
        server,
        "SELECT kind FROM events WHERE username = ? AND kind NOT LIKE '%-refused' ORDER BY kind",
        Buffer.from(name),
      );

    for (let round = 0; round < ROUNDS; round += 1) {
      // Counters of 0, as synced passkeys have them, cannot tell a repetition; those that rise can.
      for (const counts of [false, true]) {
        const signCount = (n: number) => ({ signCount: counts ? n : 0 });
        const name = `user-${round}-${counts}`;
        const first = visitor();
        const owner = visitor(first.authenticator);
        const signingUp = first.create(await first.beginRegistration(name), signCount(1));
        await control.save();
        expect((await first.completeRegistration(signingUp)).status).toBe(200);
        const older = owner.assert(await owner.beginAuthentication(name), signCount(2));
        const newer = owner.assert(await owner.beginAuthentication(name), signCount(3));
        await control.save();
        for (const body of [older, newer]) {
          expect((await owner.completeAuthentication(body)).status).toBe(200);
        }
        const before = await completed(name);
        for (const body of [older, newer, older]) {
          await control.debug('RELOAD', 'NOSAVE');
          expectRefusal(await owner.completeAuthentication(body), 'E0024R');
        }
        expect(await completed(name)).toEqual(before);
        expect((await owner.signIn(name, signCount(4))).status).toBe(200);
      }
    }
    report({ rounds: ROUNDS });
    await server.stop();
  });

  it.each(EVERY_DATABASE)('stores no deleted key again on %s', async (on) => {
    const server = await TestServer.start({ on, options: { sessions: instance.url } });
    const admin = new AdminClient(server.url, 'localhost');
    for (let round = 0; round < ROUNDS; round += 1) {
      const username = `leaving-${round}`;
      const user = new FidoClient(server.url);
      const signingUp = user.create(await user.beginRegistration(username));
      await control.save();
      expect((await user.completeRegistration(signingUp)).status).toBe(200);
      await admin.managePost({ type: 'deluser', filter: username });
      await control.debug('RELOAD', 'NOSAVE');
      expectRefusal(await user.completeRegistration(signingUp), 'E0024R');
      expect(await countOf(server, 'users')).toBe(0);
    }
    report({ rounds: ROUNDS });
    await server.stop();
  });
});

describe('a ceremony that the session store returns twice', () => {
  it('refuses a ceremony that the session store returns twice, without a false clone alarm', async () => {
    const server = await TestServer.start();
    const store = server.get(CeremonyStore);
    const kept: [session: CallerSession, entry: string][] = [];
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
    expectRefusal(await client.completeRegistration(signingUp), 'E0024R');

    for (const signCount of [0, 7]) {
      kept.length = 0;
      const username = `lazarus-${signCount}`;
      const user = new FidoClient(server.url);
      const made = user.create(await user.beginRegistration(username), { signCount: 0 });
      expect((await user.completeRegistration(made)).status).toBe(200);
      const body = user.assert(await user.beginAuthentication(username), { signCount });
      expect((await user.completeAuthentication(body)).status).toBe(200);
      await resurrect();
      expectRefusal(await user.completeAuthentication(body), 'E0024R');
    }
    expect(await countOf(server, "events WHERE kind = 'clone-alarm'")).toBe(0);
    await server.stop();
  });
});
