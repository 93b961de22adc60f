import { Balancer } from '../support/balancer.js';
import { BusyUsers } from '../support/busy-users.js';
import { REDIS_URL, type TestDatabase } from '../support/databases.js';
import { eventually } from '../support/eventually.js';
import { report, sized } from '../support/harness.js';
import { describeWith } from '../support/needs.js';
import { createServerDatabase } from '../support/server-database.js';
import { ServerProcess } from '../support/server-process.js';

const USERS = 8;
const DEPARTURES = sized(2);
/** Ceremonies between one departure and the next. */
const BETWEEN = 40;

/** A new version is rolled out: one instance after the other stops and starts again. */
describeWith('MariaDB', 'Redis')('SIGTERM to one of two instances under load', () => {
  let database: TestDatabase;
  let instances: ServerProcess[];
  let balancer: Balancer;
  beforeAll(async () => {
    database = await createServerDatabase('MariaDB');
    const args = ['--db', database.url, '--sessions', `${REDIS_URL}`, '--log-level', 'warn'];
    instances = [new ServerProcess(args), new ServerProcess(args)];
    for (const instance of instances) await instance.start();
    balancer = new Balancer(instances);
    await balancer.start();
  });
  afterAll(async () => {
    balancer.stop();
    for (const instance of instances) await instance.remove();
    await database.remove();
  });

  it('the end of one instance fails no ceremony beyond a load balancer’s second attempt', async () => {
    const users = new BusyUsers([balancer.url], USERS);
    for (let n = 0; n < DEPARTURES; n += 1) {
      const enough = users.told.length + BETWEEN;
      await eventually(() => expect(users.told.length).toBeGreaterThan(enough));
      const leaving = instances[n % instances.length];
      expect(await leaving?.end('SIGTERM')).toBe(0);
      await leaving?.start();
    }
    await users.stop();
    const failed = users.told.filter(({ answer }) => answer.status !== 200);
    expect(failed.map(({ answer }) => answer.body)).toEqual([]);
    expect(await users.lost()).toEqual([]);
    report({ departures: DEPARTURES, calls: users.told.length, retries: balancer.retries });
  });
});
