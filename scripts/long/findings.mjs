/**
 * `npm run long -- findings [KEYS --store sqlite|mariadb]` fills a database with keys (100,000) and checks them against
 * new metadata while users sign in: first all of them, then those of one model that a BLOB revokes and the next one
 * clears. On MariaDB two instances then share a change that concerns every key, and the active one is killed in the
 * middle. Fails if all keys take longer than ten minutes, a revoked model longer than one, a sign-in fails, or a key is
 * not reported exactly once.
 */
import { X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ORIGIN } from '../../bench/client/authenticator.mjs';
import { median } from '../../bench/statistics.mjs';
import { printFigures } from '../lib/harness.mjs';
import { Keys } from '../lib/load/keys.mjs';
import { Visitors } from '../lib/load/visitors.mjs';
import { runLoad } from '../lib/load/run-load.mjs';
import { OwnServer } from '../lib/own-server.mjs';
import { say } from '../lib/project.mjs';

const LOGINS_MS = 10_000;
const LOOK_MS = 250;
const PATIENCE_MS = 1_200_000;
const ALL_S = 600;
const REVOKED_S = 60;
/** Long enough to distinguish an instance that works beside sign-ins from one that does not. */
const WATCH_MS = 5_000;
const REPORTED = "events WHERE kind = 'finding'";
const UNDONE = 'judgements WHERE done = 0';

await runLoad({ usual: 100_000 }, measure);

async function measure({ size, server, store }) {
  const keys = new Keys();
  const options = optionsOf(server, store, keys);
  const shaky = Array.from({ length: size }, (_, n) => n).filter(keys.isShaky).length;
  await server.start(options);
  await upload(server, keys.blob(false));
  await server.end();
  say(`${store.name}: ${size} keys`);
  await keys.fill(store, size);
  await server.start(options);
  const visitors = await new Visitors(server.port).join();
  const signInsUntil = (ended) => visitors.during(() => server.memoryDuring(ended));
  const all = await signInsUntil(() => isDone(store));
  const alone = await signInsUntil(() => pause(LOGINS_MS));
  const turns = [];
  for (const isRevoked of [true, false]) {
    await upload(server, keys.blob(isRevoked));
    turns.push(await signInsUntil(() => findings(store, isRevoked ? shaky : 0)));
    await isDone(store);
  }
  const isShared = store.name === 'MariaDB';
  const shared = isShared ? await handedOver(server, options, { store, keys }) : {};
  const rounds = [all, alone, ...turns];
  const revoked = Math.max(...turns.map(({ seconds }) => seconds));
  const figures = {
    keys: size,
    'all of them s': Math.round(all.seconds),
    'of the model': shaky,
    'revoked or cleared s': revoked.toFixed(1),
    'MiB at most': Math.max(...rounds.map(({ result }) => result.memory)),
    'sign-ins p50 ms alone': median(alone.durations).toFixed(2),
    'beside all': median(all.durations).toFixed(2),
    'beside a model': median(turns.flatMap(({ durations }) => durations)).toFixed(2),
    failed: rounds.flatMap(({ failures }) => failures).length,
    ...shared,
  };
  const once = (await store.count(REPORTED)) === shaky + (shared['taken over'] ?? 0);
  const inTime = all.seconds <= ALL_S && revoked <= REVOKED_S;
  printFigures(`findings on ${store.name}`, figures, inTime && figures.failed === 0 && once);
}

function optionsOf({ folder }, { url }, { blobRoot }) {
  const roots = join(folder, 'blob-roots.pem');
  writeFileSync(roots, String(new X509Certificate(blobRoot)));
  const place = ['--domain', 'localhost', '--origin', ORIGIN];
  return ['--db', url, ...place, '--mds', 'upload', '--mds-roots', roots];
}

/** How far the job has come with the relying party's keys. */
async function positionIn(store) {
  return (await store.one('SELECT HEX(position) AS value FROM judgements LIMIT 1'))?.value;
}

async function until(what, isSo) {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`never: ${what}`);
    await pause(LOOK_MS);
  }
}

function isDone(store) {
  return until(
    'all keys evaluated',
    async () => (await store.count('judgements')) > 0 && (await store.count(UNDONE)) === 0,
  );
}

function findings(store, n) {
  return until(`${n} findings`, async () => (await store.count('findings')) === n);
}

function upload({ admin }, jwt) {
  return admin.send('POST', '/userapi/mds', jwt, 'application/jose');
}

/** Sets a policy that every security key of a model violates; the instance that searches for them is killed. */
async function handedOver(server, options, { store, keys }) {
  const other = new OwnServer();
  try {
    await other.start(options);
    await server.admin.setPolicy('localhost', { block: [keys.shaky] });
    await until('the change is noticed', async () => (await store.count(UNDONE)) > 0);
    const before = await positionIn(store);
    await until('it goes on', async () => (await positionIn(store)) !== before);
    const one = server.cpuSeconds;
    const two = other.cpuSeconds;
    await pause(WATCH_MS);
    const busy = [server.cpuSeconds - one, other.cpuSeconds - two];
    const [working, idle] = busy[0] > busy[1] ? [server, other] : [other, server];
    await working.end('SIGKILL');
    const began = performance.now();
    const left = await positionIn(store);
    await until('another goes on', async () => (await positionIn(store)) !== left);
    const seconds = (performance.now() - began) / 1000;
    await isDone(store);
    const found = await store.count('findings');
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
