/**
 * `npm run long -- search [USERS]` fills SQLite and a MariaDB with a million users, waits until their names
 * are read, and searches as a help desk types while people sign in. It prints a line of figures for each
 * database and fails where the slowest hundredth of the searches took longer than is promised.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { percentile } from '../../bench/statistics.mjs';
import { ensureBuild } from '../lib/build.mjs';
import { printFigures, sizeFrom } from '../lib/harness.mjs';
import { OwnServer, PASSWORD } from '../lib/own-server.mjs';
import { say } from '../lib/project.mjs';
import { run } from '../lib/run.mjs';
import { searches } from '../lib/search-load/population.mjs';
import { MariaDbStore, SqliteStore } from '../lib/search-load/stores.mjs';
import { Logins } from '../lib/users-load/logins.mjs';

const MARIADB = process.env['TEST_MYSQL_URL'] || 'mysql://root@127.0.0.1:3306';
const PROMISED_MS = 100;
const SAMPLES = 1_000;
const WARM = 100;
/** Milliseconds between two searches: a few people type at once. */
const PAUSE_MS = 20;
const LOGINS_MS = 10_000;
const AUTHORIZATION = `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`;

await run(async () => {
  const users = sizeFrom(process.argv.slice(2), 1_000_000);
  ensureBuild();
  const held = [await measured(users, ({ folder }) => new SqliteStore(folder))];
  held.push(await measured(users, () => MariaDbStore.create(MARIADB)));
  process.exitCode = held.every(Boolean) ? 0 : 1;
});
process.exit();

async function measured(users, storeOf) {
  const server = new OwnServer();
  const store = await storeOf(server);
  const options = ['--db', store.url, '--domain', 'localhost', '--origin', 'http://localhost:8080'];
  try {
    await server.start(options);
    await server.end();
    say(`${store.name}: ${users} users`);
    await store.fill(users);
    await server.start(options);
    const logins = await Logins.register(server.port);
    const reading = await signInsUntil(logins, () => isRead(server));
    const alone = await signInsUntil(logins, pause(LOGINS_MS, true));
    const searched = searchAll(server, users);
    const beside = await signInsUntil(logins, searched);
    const durations = (await searched).slice(WARM);
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
    return held;
  } finally {
    await server.remove();
    await store.remove();
  }
}

/** People sign in until something has ended: their durations, and how long it took. */
async function signInsUntil(logins, ended) {
  logins.durations = [];
  logins.failures = [];
  const began = performance.now();
  logins.begin();
  await (typeof ended === 'function' ? ended() : ended);
  await logins.end();
  const { durations, failures } = logins;
  return { durations, failures, seconds: (performance.now() - began) / 1000 };
}

async function isRead(server) {
  while (!(await search(server, 'anna')).complete) await pause(500);
}

async function searchAll(server, users) {
  const durations = [];
  for (const text of searches(users)) {
    const began = performance.now();
    await search(server, text);
    durations.push(performance.now() - began);
    if (durations.length === SAMPLES + WARM) return durations;
    await pause(PAUSE_MS);
  }
}

async function search(server, text) {
  const query = new URLSearchParams({ search: text, limit: '50' });
  const response = await fetch(`${server.url}/userapi/users?${query}`, {
    headers: { authorization: AUTHORIZATION },
  });
  const body = await response.json();
  if (response.status !== 200) throw new Error(`${text}: ${JSON.stringify(body)}`);
  return body;
}
