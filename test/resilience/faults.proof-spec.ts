import { setTimeout as pause } from 'node:timers/promises';
import { PrivateInstance } from '../../scripts/lib/services/private-instance.mjs';
import { BusyUsers } from '../support/busy-users.js';
import { createDatabaseAt, type TestDatabase } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { FidoClient } from '../support/fido-client.js';
import { limit, report, sized } from '../support/harness.js';
import { describeWith } from '../support/needs.js';
import { HEALED_MS, OUTAGES, type Outage } from '../support/outages.js';
import { TestServer } from '../support/test-server.js';

const USERS = 8;

describeWith('mariadbd and redis-server')('outages of database and session store', () => {
  let database: TestDatabase;
  let server: TestServer;
  const victims = {} as Record<Outage['victim'], PrivateInstance>;

  beforeAll(async () => {
    [victims.MariaDB, victims.Redis] = await Promise.all([
      PrivateInstance.mariadb(),
      PrivateInstance.redis(),
    ]);
    await Promise.all(Object.values(victims).map((victim) => victim.start()));
    database = await createDatabaseAt(victims.MariaDB.url);
    server = await TestServer.start({ database, options: { sessions: victims.Redis.url } });
  });
  afterAll(async () => {
    await server.stop();
    await Promise.all(Object.values(victims).map((victim) => victim.remove()));
  });

  const works = async () => {
    const client = new FidoClient(server.url);
    const username = `canary-${performance.now()}`;
    expect((await client.register(username)).status).toBe(200);
    expect((await client.signIn(username)).status).toBe(200);
  };

  it.each(OUTAGES)(
    'answers 503 in time while $victim is $name, and recovers (E0052R)',
    async (fault) => {
      const victim = victims[fault.victim];
      const users = new BusyUsers([server.url], USERS);
      await eventually(() => expect(users.registered.size).toBeGreaterThan(USERS));

      await fault.strike(victim);
      const before = users.told.length;
      await pause(sized(1) * 1000);
      await eventually(() => expect(users.told.length).toBeGreaterThan(before + USERS));
      await fault.mend(victim);
      const mended = performance.now();
      await eventually(works, limit(HEALED_MS[fault.victim]));
      const healedMs = performance.now() - mended;
      await users.stop();

      const refused = users.told.filter(({ answer }) => answer.status !== 200);
      expect(refused.length).toBeGreaterThan(0);
      for (const { answer } of refused) {
        // A ceremony that was pending in Redis may be lost with it.
        const codes = fault.victim === 'Redis' ? ['E0052R', 'E0024R'] : ['E0052R'];
        expect(codes).toContain(answer.body.errorCode);
        if (answer.body.errorCode !== 'E0052R') continue;
        expect(answer.status).toBe(503);
        expect(answer.headers.get('retry-after')).toBe('1');
      }
      const slowestMs = Math.max(...users.told.map(({ ms }) => ms));
      expect(slowestMs).toBeLessThan(limit(fault.answerMs));
      expect(await users.lost()).toEqual([]);
      report({
        answers: users.told.length,
        refused: refused.length,
        [fault.id === 'FL09' ? 'slowestOfFrozenMs' : 'slowestMs']: Math.round(slowestMs),
        healedMs: Math.round(healedMs),
        acknowledged: users.registered.size,
        lost: 0,
      });
    },
  );

  it('an outage of Redis does not affect calls without a session store', async () => {
    const client = new FidoClient(server.url);
    await victims.Redis.end();
    expect((await client.get('/status')).status).toBe(200);
    expect((await client.get('/health/live')).status).toBe(200);
    const ready = await client.get('/health/ready');
    expect(ready).toMatchObject({
      status: 503,
      body: { details: { sessions: { status: 'down' } } },
    });
    const { requestId, errorMessage } = ready.body;
    const reason = server.loggedOf(requestId)?.['msg'];
    expect(reason).toEqual(expect.any(String));
    expect([errorMessage, 'request']).not.toContain(reason);
    await victims.Redis.start();
    await eventually(works);
  });

  it('the status page reports an outage of the database without details', async () => {
    const client = new FidoClient(server.url);
    await victims.MariaDB.end();
    const { status, text } = await client.get('/status', { accept: 'text/html' });
    expect([200, 503]).toContain(status);
    expect(text).toMatch(/down|away|not available/i);
    expect(text).not.toMatch(/ECONN|mysql:|node_modules|Error:/);
    await victims.MariaDB.start();
    await eventually(works, limit(HEALED_MS.MariaDB));
  });

  it('refuses a begin call whose ceremony could not be stored (E0052R)', async () => {
    await victims.Redis.end();
    const begun = await new FidoClient(server.url).beginRegistration('unkept');
    expect(begun).toMatchObject({ status: 503, body: { errorCode: 'E0052R' } });
    expect(begun.body).not.toHaveProperty('challenge');
    await victims.Redis.start();
    await eventually(works);
  });
});
