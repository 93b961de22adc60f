/**
 * `npm run long -- transfer [USERS]` imports a million users with a key each into MariaDB, kills the server
 * in the middle, starts again, exports them, and prints one line of figures: nothing may be lost or stored
 * twice, and memory must not grow.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { printFigures } from '../lib/harness.mjs';
import { runLoad } from '../lib/load/run-load.mjs';
import { say } from '../lib/project.mjs';
import { Administrator } from '../lib/transfer/administrator.mjs';
import { exportOfMany } from '../lib/transfer/population.mjs';

const DOMAIN = 'load.example';
const LOOK_MS = 250;
/** The maximum ratio of the memory in the second half of a run to that in the first. */
const GROWTH = 1.25;

await runLoad({ usual: 1_000_000, on: ['mariadb'] }, async ({ size: users, server, store }) => {
  const options = ['--db', store.url, '--domain', DOMAIN];
  await server.start(options);
  const killed = await importUntilKilled(server, users);
  say(`killed after ${killed.records} records, ${killed.seconds.toFixed(0)} s`);
  await server.start(options);
  const imported = await importToTheEnd(server, users);
  const exported = await new Administrator(server).export();
  const stored = await countsOf(store);
  const figures = {
    users,
    'stored before the kill': killed.records,
    'found there again': imported.body.users.present,
    'stored after it': imported.body.users.created,
    'seconds of the second run': Math.round(imported.seconds),
    'keys a second': Math.round(imported.body.users.created / imported.seconds),
    'MiB before': Math.round(imported.before),
    'MiB in the first half': Math.round(imported.early),
    'MiB in the second half': Math.round(imported.late),
    'seconds of the export': Math.round(exported.seconds),
    'MB exported': Math.round(exported.bytes / 1e6),
    'MiB after it': Math.round(server.memory),
  };
  const { keys, refusals } = imported.body;
  const whole =
    stored.users === users &&
    stored.credentials === users &&
    stored.events === 2 * users &&
    keys.created + keys.present === users &&
    refusals.length === 0 &&
    exported.lines === users + 2 &&
    exported.end.keys === users;
  printFigures('transfer', figures, whole && imported.late <= imported.early * GROWTH);
});

/** @returns the number of stored records when half of them were stored */
async function importUntilKilled(server, users) {
  const began = performance.now();
  const administrator = new Administrator(server);
  const answer = administrator.import(exportOfMany(DOMAIN, users)).catch((error) => error);
  for (;;) {
    await pause(LOOK_MS);
    const { records = 0 } = (await administrator.progress()) ?? {};
    if (records < users / 2) continue;
    await server.end('SIGKILL');
    await answer;
    return { records, seconds: (performance.now() - began) / 1000 };
  }
}

/** Imports the whole file again; returns the peak memory of each half. */
async function importToTheEnd(server, users) {
  const administrator = new Administrator(server);
  const before = server.memory;
  const began = performance.now();
  let body;
  const ended = administrator.import(exportOfMany(DOMAIN, users)).then((answer) => (body = answer));
  const most = { early: before, late: before };
  while (!body) {
    await Promise.race([ended, pause(LOOK_MS)]);
    const { records = 0 } = (await administrator.progress()) ?? {};
    const half = records < users / 2 ? 'early' : 'late';
    most[half] = Math.max(most[half], server.memory);
  }
  return { body, before, ...most, seconds: (performance.now() - began) / 1000 };
}

async function countsOf(store) {
  const count = async (rows) => Number((await store.one(`SELECT COUNT(*) AS n FROM ${rows}`)).n);
  return {
    users: await count('users'),
    credentials: await count('credentials'),
    events: await count("events WHERE kind IN ('user-created', 'imported')"),
  };
}
