/**
 * `npm run long -- transfer [USERS]` imports a million users with a key each into MariaDB, kills the server
 * in the middle, starts again, exports them, and prints one line of figures: nothing may be lost or stored
 * twice, and memory must not grow.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { coseKeyOf, newKeyPair } from '../../bench/client/authenticator.mjs';
import { printFigures } from '../lib/harness.mjs';
import { displayNameOf, usernameOf } from '../lib/load/names.mjs';
import { sha256 } from '../lib/load/population.mjs';
import { runLoad } from '../lib/load/run-load.mjs';
import { say } from '../lib/project.mjs';

const DOMAIN = 'load.example';
const STORED = ['users', 'credentials', "events WHERE kind IN ('user-created', 'imported')"];
const LOOK_MS = 250;
/** The maximum ratio of the memory in the second half of a run to that in the first. */
const GROWTH = 1.25;
/** Keys are expensive to create, and these are never used to sign in, so users share them. */
const DIFFERENT_KEYS = 500;
const LINES_OF_A_CHUNK = 200;
const CREATED = '2026-01-31T09:00:00.000Z';

const hash = (text) => sha256(text).toString('base64url');
const newPublicKey = () => coseKeyOf(newKeyPair().publicKey).toString('base64url');
const lineOf = (record) => `${JSON.stringify(record)}\n`;

await runLoad({ usual: 1_000_000, on: ['mariadb'] }, async ({ size: users, server, store }) => {
  const options = ['--db', store.url, '--domain', DOMAIN];
  await server.start(options);
  const killed = await importUntilKilled(server, users);
  say(`killed after ${killed.records} records, ${killed.seconds.toFixed(0)} s`);
  await server.start(options);
  const imported = await importToTheEnd(server, users);
  const exported = await exportAll(server);
  const stored = await Promise.all(STORED.map((rows) => store.count(rows)));
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
    isDeepStrictEqual(stored, [users, users, 2 * users]) &&
    keys.created + keys.present === users &&
    refusals.length === 0 &&
    exported.lines === users + 2 &&
    exported.end.keys === users;
  printFigures('transfer', figures, whole && imported.late <= imported.early * GROWTH);
});

/** @returns the number of stored records when half of them were stored */
async function importUntilKilled(server, users) {
  const began = performance.now();
  const answer = importAll(server, users).catch((error) => error);
  for (;;) {
    await pause(LOOK_MS);
    const records = await progress(server);
    if (records < users / 2) continue;
    await server.end('SIGKILL');
    await answer;
    return { records, seconds: secondsSince(began) };
  }
}

/** Imports the whole file again; returns the peak memory of each half. */
async function importToTheEnd(server, users) {
  const before = server.memory;
  const began = performance.now();
  let body;
  const ended = importAll(server, users).then((answer) => (body = answer.body));
  const most = { early: before, late: before };
  while (!body) {
    await Promise.race([ended, pause(LOOK_MS)]);
    const half = (await progress(server)) < users / 2 ? 'early' : 'late';
    most[half] = Math.max(most[half], server.memory);
  }
  return { body, before, ...most, seconds: secondsSince(began) };
}

function importAll({ admin }, users) {
  return admin.upload('/userapi/import', exportOfMany(users));
}

/** The number of records that the import has stored so far. */
async function progress({ admin }) {
  return (await admin.get('/userapi/import')).body.import?.records ?? 0;
}

/** Returns the number of lines and bytes of the export, its last line, and its duration. */
async function exportAll({ admin }) {
  const began = performance.now();
  let [lines, bytes, tail] = [0, 0, ''];
  for await (const chunk of await admin.open('/userapi/export')) {
    bytes += chunk.length;
    for (const byte of chunk) if (byte === 0x0a) lines += 1;
    tail = (tail + chunk.toString('latin1')).slice(-200);
  }
  const end = JSON.parse(tail.trimEnd().split('\n').at(-1));
  return { lines, bytes, end, seconds: secondsSince(began) };
}

function secondsSince(began) {
  return (performance.now() - began) / 1000;
}

/** An export of users with a key each, in chunks. */
function* exportOfMany(users) {
  const publicKeys = Array.from({ length: DIFFERENT_KEYS }, newPublicKey);
  const header = { type: 'header', format: 'servicefido-users', version: 1, relyingParty: DOMAIN };
  yield lineOf(header);
  for (let from = 0; from < users; from += LINES_OF_A_CHUNK) {
    const length = Math.min(LINES_OF_A_CHUNK, users - from);
    const lines = Array.from({ length }, (_, n) => lineOf(userOf(from + n, publicKeys)));
    yield lines.join('');
  }
  yield lineOf({ type: 'end', users, keys: users });
}

function userOf(n, publicKeys) {
  const key = {
    credentialId: hash(`credential ${n}`),
    publicKey: publicKeys[n % DIFFERENT_KEYS],
    signCount: n % 100,
    enabled: n % 50 !== 0,
    deviceName: 'Security key',
    transports: ['usb', 'nfc'],
    backupEligible: false,
    backedUp: false,
    createdAt: CREATED,
    lastUsedAt: '2026-02-28T09:00:00.000Z',
  };
  return {
    type: 'user',
    createdAt: CREATED,
    username: usernameOf(n),
    displayName: displayNameOf(n),
    userHandle: hash(`handle ${n}`),
    keys: [key],
  };
}
