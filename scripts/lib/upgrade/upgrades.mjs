import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import '../register-typescript.mjs';
import { ORIGIN } from '../../../bench/client/authenticator.mjs';
import { UNLIMITED } from '../../../bench/contestants.mjs';
import { fill } from '../../../bench/fill.mjs';
import { OwnServer } from '../own-server.mjs';
import { say } from '../project.mjs';
import { LoadDatabase } from '../users-load/database.mjs';
import { People } from './people.mjs';

const { Balancer } = await import('../../../test/support/balancer.ts');

const PEOPLE = 8;
/** How long the versions serve side by side, before and after each change. */
const CALM_MS = 3000;
const PLACE = ['--domain', 'localhost', '--origin', ORIGIN, ...UNLIMITED];

/**
 * Two instances over MariaDB and Redis are replaced one by one while people sign in: nobody may
 * notice. Answers the figures.
 */
export async function replaceOneByOne(earlier, { users, mysql, redis }) {
  const database = await LoadDatabase.create(mysql);
  const options = ['--db', database.url, '--sessions', redis, ...PLACE];
  const instances = [new OwnServer(earlier.main), new OwnServer(earlier.main)];
  const balancer = new Balancer(instances);
  try {
    for (const instance of instances) await instance.start(options);
    await balancer.start();
    const people = new People(Number(new URL(balancer.url).port));
    await people.join(PEOPLE);
    say(`filling MariaDB: ${users} users, ${2 * users} credentials`);
    await database.fill(users);
    const restarts = await replaceWhile(people, { instances, options });
    await people.everybodySignsIn();
    return {
      people,
      retries: balancer.retries,
      unclean: restarts.filter(({ exitCode }) => exitCode !== 0).length,
      readyMs: Math.max(...restarts.map(({ readyMs }) => readyMs)),
      before: await startAgain(earlier, { options, people }),
    };
  } finally {
    balancer.stop();
    for (const instance of instances) await instance.remove();
    await database.remove();
  }
}

async function replaceWhile(people, { instances, options }) {
  const restarts = [];
  people.begin();
  await pause(CALM_MS);
  for (const n of instances.keys()) {
    const [next, which] = [new OwnServer(), `instance ${n + 1} of ${instances.length}`];
    say(`replacing ${which} while people sign in`);
    people.phase = `while ${which} stops`;
    const exitCode = await instances[n].end();
    await instances[n].remove();
    instances[n] = next;
    people.phase = `while ${which} starts`;
    restarts.push({ exitCode, readyMs: await timed(() => next.start(options)) });
    people.phase = `after ${which} was replaced`;
    await pause(CALM_MS);
  }
  await people.end();
  return restarts;
}

/** On SQLite the one server stops and the next starts over its file. Answers the figures. */
export async function stopAndStart(earlier, { users }) {
  const folder = mkdtempSync(join(tmpdir(), 'servicefido-upgrade-'));
  const db = `sqlite:${join(folder, 'servicefido.sqlite')}`;
  const options = ['--db', db, ...PLACE];
  const servers = [new OwnServer(earlier.main), new OwnServer()];
  const [old, next] = servers;
  try {
    await old.start(options);
    const people = new People(old.port);
    await people.join(PEOPLE);
    say(`filling SQLite: ${users} users`);
    await fill(db, users);
    const exitCode = await old.end();
    const readyMs = await timed(() => next.start(options));
    await people.everybodySignsIn(next.port);
    await next.end();
    const before = await startAgain(earlier, { options, people });
    return { people, retries: 0, unclean: exitCode === 0 ? 0 : 1, readyMs, before };
  } finally {
    for (const server of servers) await server.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The way back: the earlier version over the database that this one has used.
 *
 * @returns `starts`, or the line in which it says why not
 */
async function startAgain(earlier, { options, people }) {
  const server = new OwnServer(earlier.main);
  try {
    await server.start(options);
    await people.everybodySignsIn(server.port);
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
