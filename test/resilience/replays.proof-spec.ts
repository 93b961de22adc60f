import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { PrivateInstance } from '../../scripts/lib/services/private-instance.mjs';
import type { TestDatabase } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { report, sized } from '../support/harness.js';
import { describeWith } from '../support/needs.js';
import { countOf } from '../support/rows.js';
import { createServerDatabase } from '../support/server-database.js';
import { TestServer } from '../support/test-server.js';

const describeReplays = describeWith('MariaDB', 'mariadbd and redis-server');

const AT_ONCE = 50;
/** Each kind of replay gets an equal share. */
const COUNT = Math.ceil(sized(1000) / 5);

describeReplays('replays of accepted results', () => {
  let redis: PrivateInstance;
  let control: Redis;
  let database: TestDatabase;
  let servers: TestServer[] = [];

  const startServers = async () => {
    const options = { sessions: redis.url };
    servers = [
      await TestServer.start({ database, options }),
      await TestServer.start({ database, options }),
    ];
  };
  beforeAll(async () => {
    redis = await PrivateInstance.redis();
    await redis.start();
    control = new Redis(redis.url);
    control.on('error', () => undefined);
    database = await createServerDatabase('MariaDB');
    await startServers();
  });
  afterAll(async () => {
    for (const server of servers) await server.stop();
    control.disconnect();
    await redis.remove();
    await database.remove();
  });

  it('accepts no replay of an accepted result in sequence', async () =>
    replay(await spend('sequence'), 1, servers.slice(0, 1)));

  it('accepts none of 50 simultaneous replays of accepted results', async () =>
    replay(await spend('at-once'), AT_ONCE, servers.slice(0, 1)));

  it('accepts no replay of an accepted result at two instances', async () =>
    replay(await spend('two'), AT_ONCE));

  it('accepts no replay of an accepted result after both instances have restarted', async () => {
    const spent = await spend('restart');
    for (const server of servers) await server.stop();
    await startServers();
    await replay(spent, AT_ONCE);
  });

  it('accepts no replay of an accepted result after Redis was set back to an earlier state', async () => {
    // Redis writes its file while ceremonies are pending, and reads it back later.
    let isSpending = true;
    // A process beside Redis saves: Redis itself would answer nobody while a slow disk takes the file.
    const save = async () => {
      for (; isSpending; await pause(5)) await control.bgsave().catch(() => undefined);
    };
    const saving = save();
    const spent = await spend('failover').finally(() => (isSpending = false));
    await saving;
    await redis.end('SIGKILL');
    await redis.start();
    await ready();
    await replay(spent, AT_ONCE);
  });

  /** Users with counters of 0, so that only the challenge can reveal a replay. */
  async function spend(name: string): Promise<Spent[]> {
    await ready();
    const url = servers[0]?.url ?? '';
    const users = Array.from({ length: 5 }, async (_, n) => {
      const client = new FidoClient(url);
      const username = `${name}-${n}`;
      const begun = await client.beginRegistration(username);
      const made = client.create(begun, { signCount: 0 });
      expect((await client.completeRegistration(made)).status).toBe(200);
      const spent: Spent[] = [{ kind: 'Registration', client, body: made }];
      for (let tab = 0; tab < 3; tab += 1) {
        const body = client.assert(await client.beginAuthentication(username), { signCount: 0 });
        expect((await client.completeAuthentication(body)).status).toBe(200);
        spent.push({ kind: 'Authentication', client, body });
      }
      return spent;
    });
    return (await Promise.all(users)).flat();
  }

  /** Sends the given number of replays, `width` at a time, to one server after the other. */
  async function replay(spent: readonly Spent[], width: number, to = servers): Promise<void> {
    const before = await rowsNow();
    let next = 0;
    let accepted = 0;
    const one = async () => {
      while (next < COUNT) {
        const n = (next += 1);
        const { kind, client, body } = spent[n % spent.length] as Spent;
        const there = new FidoClient(to[n % to.length]?.url ?? '');
        there.cookie = client.cookie;
        const answer = await there[`complete${kind}`](body);
        if (answer.status === 200) accepted += 1;
        // On a machine that is busy with the harness, Redis may be too slow for an answer.
        else expect(['E0024R', 'E0052R']).toContain(answer.body.errorCode);
      }
    };
    await Promise.all(Array.from({ length: width }, one));
    expect(accepted).toBe(0);
    expect(await rowsNow()).toEqual(before);
    report({ replays: COUNT, accepted });
  }

  function ready() {
    return eventually(async () => {
      for (const server of servers) {
        expect((await new FidoClient(server.url).get('/health/ready')).status).toBe(200);
      }
    });
  }

  async function rowsNow() {
    const [server] = servers as [TestServer];
    const good = "events WHERE kind IN ('registration', 'authentication', 'clone-alarm')";
    return [await countOf(server, good), await countOf(server, 'credentials')];
  }

  interface Spent {
    readonly kind: 'Registration' | 'Authentication';
    readonly client: FidoClient;
    readonly body: unknown;
  }
});
