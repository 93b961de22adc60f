/**
 * `npm run long -- search [USERS]` fills SQLite and a MariaDB with a million users, waits until their names
 * are read, and searches as a help desk types while people sign in. It prints a line of figures for each
 * database and fails where the slowest hundredth of the searches took longer than is promised.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { ORIGIN } from '../../bench/client/authenticator.mjs';
import { fillStore } from '../../bench/fill.mjs';
import { percentile } from '../../bench/statistics.mjs';
import { printFigures } from '../lib/harness.mjs';
import { Logins } from '../lib/load/logins.mjs';
import { peopleWith, searches } from '../lib/load/names.mjs';
import { runLoad } from '../lib/load/run-load.mjs';
import { say } from '../lib/project.mjs';

const PROMISED_MS = 100;
const SAMPLES = 1_000;
const WARM = 100;
/** Milliseconds between two searches: a few people type at once. */
const PAUSE_MS = 20;
const LOGINS_MS = 10_000;

await runLoad({ usual: 1_000_000, on: ['sqlite', 'mariadb'] }, measure);

async function measure({ size: users, server, store }) {
  const options = ['--db', store.url, '--domain', 'localhost', '--origin', ORIGIN];
  await server.start(options);
  await server.end();
  say(`${store.name}: ${users} users`);
  await fillStore(store, users, peopleWith(0));
  await store.run('DELETE FROM search_progress');
  await store.analyse('users');
  await server.start(options);
  const logins = await Logins.register(server.port);
  const reading = await logins.during(() => isRead(server));
  const alone = await logins.during(() => pause(LOGINS_MS));
  const beside = await logins.during(() => searchAll(server, users));
  const durations = beside.result.slice(WARM);
  const of = (all, share) => percentile(all, share).toFixed(1);
  const figures = {
    users,
    'seconds of reading names': Math.round(reading.seconds),
    searches: durations.length,
    'p50 ms': of(durations, 0.5),
    'p99 ms': of(durations, 0.99),
    'longest ms': of(durations, 1),
    'sign-ins': beside.durations.length,
    'their p50 ms alone': of(alone.durations, 0.5),
    'while names are read': of(reading.durations, 0.5),
    'beside searches': of(beside.durations, 0.5),
    failed: [alone, reading, beside].flatMap(({ failures }) => failures).length,
  };
  const held = percentile(durations, 0.99) <= PROMISED_MS && figures.failed === 0;
  printFigures(`search on ${store.name}`, figures, held);
}

async function isRead(server) {
  while (!(await search(server, 'anna')).body.complete) await pause(500);
}

async function searchAll(server, users) {
  const durations = [];
  for (const text of searches(users)) {
    durations.push((await search(server, text)).ms);
    if (durations.length === SAMPLES + WARM) return durations;
    await pause(PAUSE_MS);
  }
}

function search({ admin }, text) {
  return admin.get(`/userapi/users?${new URLSearchParams({ search: text, limit: '50' })}`);
}
