/**
 * `npm run long -- findings [KEYS]` fills SQLite and a MariaDB with keys (100,000) and holds them against
 * what becomes known while people sign in: all of them at first, then those of one model that a BLOB
 * revokes and the next one clears, in turns with nothing. On MariaDB two instances then share a change that
 * concerns every key, and the one that works is killed in the middle. It prints a line of figures for each
 * database and fails where all keys take longer than ten minutes, a revoked model longer than one, a
 * sign-in fails, or a key is not told of exactly once.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { median, percentile, ratioOf } from '../../bench/statistics.mjs';
import { ensureBuild } from '../lib/build.mjs';
import { Population } from '../lib/findings-load/population.mjs';
import { MariaDbStore, SqliteStore } from '../lib/findings-load/stores.mjs';
import { printFigures, sizeFrom } from '../lib/harness.mjs';
import { OwnServer, PASSWORD } from '../lib/own-server.mjs';
import { say } from '../lib/project.mjs';
import { run } from '../lib/run.mjs';
import { Logins } from '../lib/users-load/logins.mjs';

const MARIADB = process.env['TEST_MYSQL_URL'] || 'mysql://root@127.0.0.1:3306';
const LOGINS_MS = 10_000;
const TURNS = 3;
const LOOK_MS = 250;
const PATIENCE_MS = 1_200_000;
const ALL_S = 600;
const REVOKED_S = 60;
/** So long that who works beside sign-ins can be told from who does not. */
const WATCH_MS = 5_000;
const AUTHORIZATION = `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`;

await run(async () => {
  const keys = sizeFrom(process.argv.slice(2), 100_000);
  ensureBuild();
  const held = [await measured(keys, ({ folder }) => new SqliteStore(folder))];
  held.push(await measured(keys, () => MariaDbStore.create(MARIADB)));
  process.exitCode = held.every(Boolean) ? 0 : 1;
});
process.exit();

async function measured(keys, storeOf) {
  const population = new Population();
  const server = new OwnServer();
  const store = await storeOf(server);
  const options = optionsOf(server, store, population);
  const shaky = Array.from({ length: keys }, (_, n) => n).filter(population.isShaky).length;
  try {
    await server.start(options);
    await upload(server, population.blob(false));
    await server.end();
    say(`${store.name}: ${keys} keys`);
    await store.fill(population, keys);
    await server.start(options);
    const logins = await Logins.register(server.port);
    const all = await signInsUntil({ server, logins }, () => isDone(store));
    const turns = [];
    for (let n = 0; n < TURNS; n += 1) {
      turns.push(await turnOf({ server, logins }, true, { store, population, shaky }));
      turns.push(await turnOf({ server, logins }, false, { store, population, shaky }));
    }
    const told = [Number(await store.watch('told'))];
    const shared =
      store.name === 'MariaDB' ? await handedOver(server, options, { store, population }) : {};
    told.push(Number(await store.watch('told')));
    const rounds = [all, ...turns.flatMap(({ alone, beside }) => [alone, beside])];
    const aside = turns.map(({ alone }) => percentile(alone.durations, 0.5));
    const beside = turns.map(({ beside: { durations } }) => percentile(durations, 0.5));
    const slower = ratioOf(aside, beside);
    const revoked = Math.max(...turns.map(({ beside: { seconds } }) => seconds));
    const figures = {
      keys,
      'all of them s': Math.round(all.seconds),
      'of the model': shaky,
      'revoked or cleared s': revoked.toFixed(1),
      'MiB at most': Math.max(...rounds.map(({ memory }) => memory)),
      'sign-ins p50 ms alone': median(aside).toFixed(2),
      'beside all': percentile(all.durations, 0.5).toFixed(2),
      'beside a model': median(beside).toFixed(2),
      times: `${slower.ratio.toFixed(2)} (${slower.least.toFixed(2)} to ${slower.most.toFixed(2)})`,
      failed: rounds.flatMap(({ failures }) => failures).length,
      ...shared,
    };
    const once =
      told[0] === TURNS * shaky && told[1] === TURNS * shaky + (shared['taken over'] ?? 0);
    const inTime = all.seconds <= ALL_S && revoked <= REVOKED_S;
    const held = inTime && figures.failed === 0 && once;
    printFigures(`findings on ${store.name}`, figures, held);
    return held;
  } finally {
    await server.remove();
    await store.remove();
  }
}

/** People sign in beside nothing, then until a BLOB that revokes or clears the model has been acted on. */
async function turnOf({ server, logins }, isRevoked, { store, population, shaky }) {
  const alone = await signInsUntil({ server, logins }, () => pause(LOGINS_MS));
  await upload(server, population.blob(isRevoked));
  const acted = () => findings(store, isRevoked ? shaky : 0);
  const beside = await signInsUntil({ server, logins }, acted);
  await isDone(store);
  return { alone, beside };
}

function optionsOf({ folder }, { url }, { blobRoot }) {
  const roots = join(folder, 'blob-roots.pem');
  const pem = blobRoot.toString('base64');
  writeFileSync(roots, `-----BEGIN CERTIFICATE-----\n${pem}\n-----END CERTIFICATE-----\n`);
  const place = ['--domain', 'localhost', '--origin', 'http://localhost:8080'];
  return ['--db', url, ...place, '--mds', 'upload', '--mds-roots', roots];
}

/** People sign in until something has ended: their durations, how long it took, the most memory. */
async function signInsUntil({ server, logins }, ended) {
  logins.durations = [];
  logins.failures = [];
  const began = performance.now();
  const memory = [server.memory];
  const looking = setInterval(() => memory.push(server.memory), 1000);
  logins.begin();
  await ended();
  const seconds = (performance.now() - began) / 1000;
  await logins.end();
  clearInterval(looking);
  const { durations, failures } = logins;
  return { durations, failures, seconds, memory: Math.round(Math.max(...memory)) };
}

async function until(what, isSo) {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`never: ${what}`);
    await pause(LOOK_MS);
  }
}

function isDone(store) {
  return until('all keys evaluated', async () => {
    const [judged, undone] = [await store.watch('judged'), await store.watch('undone')].map(Number);
    return judged > 0 && undone === 0;
  });
}

function findings(store, n) {
  return until(`${n} findings`, async () => Number(await store.watch('findings')) === n);
}

async function upload({ url }, jwt) {
  const headers = { authorization: AUTHORIZATION, 'content-type': 'application/jose' };
  const answer = await fetch(`${url}/userapi/mds`, { method: 'POST', headers, body: jwt });
  if (answer.status !== 200) throw new Error(`the BLOB: ${await answer.text()}`);
}

/** A policy that every security key of a model breaks, and the death of whoever looks for them. */
async function handedOver(server, options, { store, population }) {
  const other = new OwnServer();
  try {
    await other.start(options);
    const place = '/tenantapi/tenants/default/relying-parties/localhost';
    const headers = { authorization: AUTHORIZATION, 'content-type': 'application/json' };
    const body = JSON.stringify({ policy: { block: [population.shaky] } });
    const answer = await fetch(server.url + place, { method: 'PATCH', headers, body });
    if (answer.status !== 200) throw new Error(`the policy: ${await answer.text()}`);
    await until('the change is noticed', async () => Number(await store.watch('undone')) > 0);
    const before = await store.watch('position');
    await until('it goes on', async () => (await store.watch('position')) !== before);
    const [one, two] = [server.cpuSeconds, other.cpuSeconds];
    await pause(WATCH_MS);
    const busy = [server.cpuSeconds - one, other.cpuSeconds - two];
    const [working, idle] = busy[0] > busy[1] ? [server, other] : [other, server];
    process.kill(working.pid, 'SIGKILL');
    const began = performance.now();
    const left = await store.watch('position');
    await until('another goes on', async () => (await store.watch('position')) !== left);
    const seconds = (performance.now() - began) / 1000;
    await isDone(store);
    const found = Number(await store.watch('findings'));
    if (!idle.running) throw new Error('the other instance ended');
    return {
      'CPU s of the two': `${Math.max(...busy).toFixed(2)}/${Math.min(...busy).toFixed(2)}`,
      'taken over after s': seconds.toFixed(1),
      'taken over': found,
    };
  } finally {
    await other.remove();
  }
}
