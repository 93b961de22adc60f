import { setTimeout as pause } from 'node:timers/promises';
import '../register-typescript.mjs';
import { FOR_VISITORS } from '../../../bench/contestants.mjs';
import { Visitors } from '../load/visitors.mjs';
import { fill, usersWithKeys } from '../load/population.mjs';
import { createStore, Store } from '../load/stores.mjs';
import { withFolder } from '../folder.mjs';
import { OwnServer } from '../own-server.mjs';
import { inProject, say } from '../project.mjs';
import { AdminLoad } from './admin-load.mjs';
import { Movers } from './movers.mjs';

const { Balancer } = await import('../../../test/support/balancer.ts');

/** How long the versions run side by side, before and after each change. */
const CALM_MS = 3000;
const NEXT = inProject('scripts/lib/upgrade/next-version.mjs');
const TABLE_OF_NEXT = 'upgrade_notes';

/**
 * Replaces two instances over MariaDB and Redis one by one under the load of users and administrators: by this
 * version, and then by a later one whose migration is killed beside a long read. No call may fail. Returns the
 * figures.
 */
export async function replaceOneByOne(earlier, { users, mysql, redis }) {
  const database = await createStore('mariadb', { mysql });
  const stores = ['--db', database.url, '--sessions', redis];
  const options = [...stores, '--webhook-private', 'on', ...FOR_VISITORS];
  const instances = [new OwnServer(earlier.main), new OwnServer(earlier.main)];
  const balancer = new Balancer(instances);
  try {
    for (const instance of instances) await instance.start(options);
    await balancer.start();
    const adminLoad = new AdminLoad(balancer);
    // Before any registration: the webhook receives later events only.
    await adminLoad.prepare();
    const movers = new Movers(balancer);
    await movers.prepare();
    const visitors = await new Visitors(Number(new URL(balancer.url).port)).join();
    say(`filling MariaDB: ${users} users, ${2 * users} credentials`);
    await fill(database, users, usersWithKeys(2));
    await database.analyse('users', 'credentials');
    const { result: restarts } = await visitors.during(
      () => replaceWhile({ visitors, adminLoad, movers }, { instances, options, database }),
      { registering: true },
    );
    await visitors.everybodySignsIn();
    const moves = await movers.stop();
    const work = await adminLoad.stop(visitors.registered + 1);
    return {
      visitors,
      failures: [...visitors.failures, ...adminLoad.failures, ...movers.failures],
      work: { ...work, ...moves },
      retries: balancer.retries,
      unclean: restarts.filter(({ exitCode }) => exitCode !== 0).length,
      readyMs: Math.max(...restarts.map(({ readyMs }) => readyMs)),
      before: await startAgain(earlier, { options, visitors }),
    };
  } finally {
    balancer.stop();
    for (const instance of instances) await instance.remove();
    await database.remove();
  }
}

async function replaceWhile(workload, { instances, options, database }) {
  const { visitors, adminLoad, movers } = workload;
  const restarts = [];
  const enter = (phase) => (visitors.phase = adminLoad.phase = movers.phase = phase);
  const replace = async (n, next, start = () => next.start(options)) => {
    say(`replacing instance ${n + 1} of ${instances.length} while visitors sign in`);
    enter(`while instance ${n + 1} stops`);
    const exitCode = await instances[n].end();
    await instances[n].remove();
    instances[n] = next;
    enter(`while instance ${n + 1} starts`);
    restarts.push({ exitCode, readyMs: await timed(start) });
    enter(`after instance ${n + 1} was replaced`);
    await pause(CALM_MS);
  };
  adminLoad.start();
  movers.start();
  await pause(CALM_MS);
  for (const n of instances.keys()) await replace(n, new OwnServer());
  const next = new OwnServer(NEXT);
  await replace(0, next, () => startKilled(next, { options, database }));
  await replace(1, new OwnServer(NEXT));
  return restarts;
}

/** Starts a version with migrations while another connection reads the table; kills it, and starts it again. */
async function startKilled(server, { options, database }) {
  // Reads credentials, as a dump does, and locks their table until it is closed.
  const read = new Store(database.url);
  await read.run('START TRANSACTION');
  await read.one('SELECT id FROM credentials LIMIT 1');
  const first = server.start(options).catch(() => 'killed');
  while (!(await database.one(`SHOW TABLES LIKE '${TABLE_OF_NEXT}'`))) await pause(100);
  // The second migration now waits for the table that is being read.
  await pause(CALM_MS);
  await server.end('SIGKILL');
  if ((await first) !== 'killed') throw new Error('the migration did not wait for the long read');
  const second = server.start(options);
  await pause(CALM_MS);
  await read.close();
  await second;
}

/** On SQLite, stops the server and starts the next one on its file. Returns the figures. */
export const stopAndStart = (earlier, { users }) =>
  withFolder('upgrade', async (folder) => {
    const store = await createStore('sqlite', { folder });
    const options = ['--db', store.url, ...FOR_VISITORS];
    const servers = [new OwnServer(earlier.main), new OwnServer()];
    const [old, next] = servers;
    try {
      await old.start(options);
      const visitors = await new Visitors(old.port).join();
      say(`filling SQLite: ${users} users`);
      await fill(store, users);
      await store.close();
      const exitCode = await old.end();
      const readyMs = await timed(() => next.start(options));
      await visitors.everybodySignsIn(next.port);
      await next.end();
      const before = await startAgain(earlier, { options, visitors });
      return {
        visitors,
        failures: visitors.failures,
        work: {},
        retries: 0,
        unclean: exitCode === 0 ? 0 : 1,
        readyMs,
        before,
      };
    } finally {
      for (const server of servers) await server.remove();
    }
  });

/**
 * Downgrades: starts the earlier version on the database that this one has used.
 *
 * @returns `starts`, or the line with its reason for refusing
 */
async function startAgain(earlier, { options, visitors }) {
  const server = new OwnServer(earlier.main);
  try {
    await server.start(options);
    await visitors.everybodySignsIn(server.port);
    return 'starts';
  } catch (error) {
    const said = error.message.trim().split('\n').at(-1);
    return /"msg":"([^"]*)"/.exec(said)?.[1] ?? said;
  } finally {
    await server.remove();
  }
}

async function timed(action) {
  const began = performance.now();
  await action();
  return Math.round(performance.now() - began);
}
