/**
 * `npm run long -- users [USERS --store sqlite|mariadb]` fills a database with users (a million) who have two
 * keys and five events of 30 days each. While users sign in, the administration and others make expensive calls.
 * Prints the duration of these calls, the delay of the event loop and the duration of a sign-in, and on MariaDB what
 * a ceremony costs it and the size of its tables: the figures of docs/users.md, transfer.md, billing.md, size.md and
 * speed.md. Exit code 1 if the event loop is delayed by more than 50 ms, a sign-in fails, or a hundredth of the
 * searches by words take more than 100 ms. Needs Linux.
 */
import '../lib/register-typescript.mjs';
import { setTimeout as pause } from 'node:timers/promises';
import {
  Authenticator,
  ORIGIN,
  RP_ID,
  coseKeyOf,
  newKeyPair,
} from '../../bench/client/authenticator.mjs';
import { Connection } from '../../bench/client/connection.mjs';
import { Load } from '../../bench/client/load.mjs';
import { Visitor } from '../../bench/client/visitor.mjs';
import { FOR_VISITORS } from '../../bench/contestants.mjs';
import { percentile } from '../../bench/statistics.mjs';
import { spread } from '../lib/harness.mjs';
import { costOfEach, saySizes } from '../lib/load/mariadb.mjs';
import { searchText, usernameOf } from '../lib/load/names.mjs';
import { Visitors } from '../lib/load/visitors.mjs';
import { fill, sha256, usersWithKeys } from '../lib/load/population.mjs';
import { runLoad } from '../lib/load/run-load.mjs';
import { say } from '../lib/project.mjs';

const authenticators = '../../packages/testing/src';
const { SoftAuthenticator } = await import(`${authenticators}/soft-authenticator.ts`);
const { ALG } = await import(`${authenticators}/key-pair.ts`);
const { writeTpm } = await import(`${authenticators}/tpm-statement.ts`);

const MAX_DELAY_MS = 50;
const MAX_SEARCH_MS = 100;
const QUIET_MS = 5000;
const SAMPLES = 200;
const SEARCHES = 1_000;
/** Milliseconds between two searches, as if a few users typed at once. */
const TYPING_MS = 20;
const LISTED = 100_000;
const CONCURRENCY = 8;
const TPM_KEYS = 100;
const LOGINS_SECONDS = 15;
/** More users than can sign in during a measurement: each signs in once. */
const STRANGERS = 30_000;
const COUNTED = 1000;
const DAYS = 30;
const DAY_MS = 86_400_000;
const KINDS = ['user-created', 'registration', 'registration', 'authentication', 'authentication'];
/** The server counts events that are a quarter of an hour old, once a minute. */
const COUNTED_MS = 17 * 60_000;

const SEARCH = 'search by words';
const keyPair = newKeyPair();
const now = Date.now();

/** Calls that are the same each time: a title, their number, and the path. */
const READS = [
  ['the newest users', 20, '/userapi?sort=-created'],
  ['disabled keys', 20, '/userapi?state=disabled'],
  ['who never signed in', 20, '/userapi?used=never'],
  ['the newest events', 20, '/userapi/events?limit=50'],
  ['the newest refusals', 3, '/userapi/events?limit=50&outcome=refused'],
  ['adoption', 2, '/userapi/adoption?relyingParty=localhost'],
  ['metrics', 3, '/metrics'],
  ['dashboard', 3, '/'],
  ...[0, 1, 20].map((ago) => [
    `invoice of ${ago} days ago`,
    5,
    `/userapi/invoice?date=${dayOf(ago)}`,
  ]),
];

/**
 * Activity during sign-ins, by the administration and others: a title, and a function that returns the
 * milliseconds of each call. The first reads the names, which the search needs.
 */
const JOBS = [
  ['reading all names', readNames],
  ['nothing else', () => pause(QUIET_MS, [])],
  ['logins, each of somebody else', (load) => logins(load, strangers(load, STRANGERS))],
  ['logins of the same 200', (load) => logins(load, strangers(load, 200))],
  ['registrations', (load) => loadOf(load, []).freshRegistrations(LOGINS_SECONDS, 0)()],
  ['prefix search, first page', searchByPrefix],
  ['search with an asterisk in front', searchByEnd],
  [SEARCH, searchByWords],
  ['all pages of 100', (load) => allPages(load, 100)],
  ['all pages of 1,000', (load) => allPages(load, 1000)],
  ...READS.map(([title, count, path]) => [
    title,
    ({ admin }) => repeat(count, () => admin.text(path)),
  ]),
  ['events of a user', eventsOfUser],
  ['changes of one user', changeOneByOne],
  ['registrations of TPM keys', registerTpmKeys],
  ['deletions of one user', deleteOneByOne],
  ['export of everybody', exportAll],
  ['import of others', importOthers],
  ['upload of a list', upload],
  ['deletion of its users', deleteListed],
];
/** Typical changes of migrations to the largest table, and their reversal. */
const MIGRATIONS = [
  [
    'adding a column with a default',
    'ADD COLUMN probe INT NOT NULL DEFAULT 7',
    'DROP COLUMN probe',
  ],
  ['adding an index', 'ADD INDEX ix_probe (relying_party_id, id)', 'DROP INDEX ix_probe'],
];

await runLoad({ usual: 1_000_000 }, async ({ size: users, server, store }) => {
  const isMariadb = store.name === 'MariaDB';
  const options = ['--db', store.url, ...FOR_VISITORS];
  await server.start(options);
  await server.end();
  say(`filling ${store.name}: ${users} users, ${2 * users} credentials`);
  await fill(store, users, userOf(users));
  await store.run('DELETE FROM search_progress');
  await store.run('DELETE FROM search_positions');
  await store.run('DELETE FROM usage_progress');
  await store.analyse('users', 'credentials', 'events');
  await server.start(options);
  const load = { server, admin: server.admin, users, store };
  say(`counting all events: ${await countEvents(load)} ms`);
  // The first calls compile code and templates.
  for (const [, , path] of READS) await server.admin.text(path);
  const visitors = await new Visitors(server.port).join();
  const migrations = MIGRATIONS.map(([title, ...changes]) => [title, () => migrate(load, changes)]);
  for (const [title, job] of [...JOBS, ...(isMariadb ? migrations : [])]) {
    await server.lag();
    const work = () => server.memoryDuring(() => job(load));
    const { result, seconds, durations, failures } = await visitors.during(work);
    const { result: calls, memory } = result;
    const { p99, max } = await server.lag();
    const taken = calls.length > 0 ? `, ${spread(calls)}` : '';
    say(`${title}: ${calls.length} calls in ${seconds.toFixed(1)} s${taken}`);
    say(
      `  meanwhile: ${durations.length} sign-ins, ${spread(durations)}, ${failures.length} failed`,
    );
    say(`  event loop p99 ${p99} ms, longest ${max} ms; at most ${memory} MiB`);
    for (const failure of new Set(failures)) say(failure);
    const isSlow = title === SEARCH && percentile(calls, 0.99) > MAX_SEARCH_MS;
    if (max > MAX_DELAY_MS || failures.length > 0 || isSlow) process.exitCode = 1;
  }
  if (isMariadb) {
    await sayCosts(load);
    await saySizes(store);
  }
});

/** All keys have one key pair, so that the script can sign in as any user. */
function userOf(users) {
  const publicKey = coseKeyOf(keyPair.publicKey);
  const names = usersWithKeys(2);
  const step = ((DAYS - 1) * DAY_MS) / (KINDS.length * users);
  const timeOf = (n, k) => Math.floor(now - 60_000 - step * (KINDS.length * users - k * users - n));
  return (n) => ({
    ...names(n),
    at: timeOf(n, 0),
    keys: [0, 1].map((k) => ({
      ...{ credentialId: credentialIdOf(n, k), public_key: publicKey, sign_count: 0 },
      enabled: n % 50 === 1 ? 0 : 1,
    })),
    events: KINDS.map((kind, k) => ({ kind, at: timeOf(n, k), serial: KINDS.length * n + k })),
  });
}

function credentialIdOf(n, k) {
  return sha256(`key ${n} ${k}`).subarray(0, 16);
}

/** The kth of some users who are spread over all: an even number. Those with an odd one may be deleted. */
function numberOf(k, users) {
  return 2 * ((k * 7919 * 104_729) % Math.floor(users / 2));
}

function somebody(k, users) {
  return usernameOf(numberOf(k, users));
}

function strangers({ users }, count) {
  return Array.from({ length: Math.min(count, Math.floor(users / 2)) }, (_, k) => {
    const n = numberOf(k, users);
    const authenticator = new Authenticator({ keyPair, id: credentialIdOf(n, 0), counts: false });
    return new Visitor(usernameOf(n), authenticator);
  });
}

function loadOf({ server: { port } }, visitors) {
  return new Load({ port, visitors, concurrency: CONCURRENCY, prefix: 'new' });
}

function logins(load, visitors) {
  return loadOf(load, visitors).logins(LOGINS_SECONDS);
}

/** @param call resolves with its own `ms` */
async function repeat(count, call) {
  const durations = [];
  for (let n = 0; n < count; n += 1) durations.push((await call(n)).ms);
  return durations;
}

/** @returns the milliseconds from the start of the server's job until it has counted all events */
async function countEvents({ store, users }) {
  const upto = async () => Number((await store.one('SELECT upto FROM usage_progress'))?.upto ?? 0);
  while ((await upto()) === 0) await pause(10);
  const began = performance.now();
  const last = now - COUNTED_MS - (DAYS * DAY_MS) / (KINDS.length * users);
  while ((await upto()) < last) await pause(50);
  return Math.round(performance.now() - began);
}

function search({ admin }, text) {
  return admin.get(`/userapi/users?${new URLSearchParams({ search: text, limit: '50' })}`);
}

async function readNames(load) {
  const began = performance.now();
  while (!(await search(load, 'anna')).body.complete) await pause(500);
  return [performance.now() - began];
}

/** Prefixes as the help desk types them. */
function searchByPrefix({ admin, users }) {
  return repeat(SAMPLES, (n) =>
    admin.manage({ filter: `${somebody(n, users).slice(0, 4 + (n % 5))}*` }),
  );
}

function searchByEnd({ admin }) {
  return repeat(20, (n) => admin.manage({ filter: `*${n}99@*` }));
}

function searchByWords(load) {
  return repeat(SEARCHES, async (n) => {
    await pause(TYPING_MS);
    return search(load, searchText(n, load.users));
  });
}

async function allPages({ admin, users }, limit) {
  const durations = [];
  let seen = 0;
  for (let next = {}; next;) {
    const { body, ms } = await admin.manage({ limit: String(limit), ...next });
    durations.push(ms);
    seen += body.users.length;
    next = body.next === null ? undefined : { cursor: body.next };
  }
  if (seen < users) throw new Error(`the list showed ${seen} of ${users}`);
  return durations;
}

function changeOneByOne({ admin, users }) {
  return repeat(2 * SAMPLES, async (n) => {
    const type = n % 2 === 0 ? 'disableall' : 'enableall';
    const { body, ms } = await admin.manage({ type, filter: somebody(n >> 1, users) });
    if (body.credentials !== 2) throw new Error(`${type}: ${JSON.stringify(body)}`);
    return { ms };
  });
}

function eventsOfUser({ admin, users }) {
  return repeat(SAMPLES, (n) => admin.get(`/userapi/events?limit=50&user=${somebody(n, users)}`));
}

function dayOf(ago) {
  return new Date(now - ago * DAY_MS).toISOString().slice(0, 10);
}

function deleteOneByOne({ admin, users }) {
  const filterOf = (n) => usernameOf(numberOf(n, users) + 1);
  return repeat(SAMPLES, (n) => admin.manage({ type: 'deluser', filter: filterOf(n) }));
}

async function migrate({ store }, [change, undo]) {
  const began = performance.now();
  await store.run(`ALTER TABLE credentials ${change}`);
  const ms = performance.now() - began;
  await store.run(`ALTER TABLE credentials ${undo}`);
  return [ms];
}

/** One ceremony after another, without other load: what one costs the database. */
async function sayCosts({ server, store, users }) {
  const each = (visitors, ceremony) =>
    costOfEach(store, visitors.length, () =>
      Connection.during(server.port, async (connection) => {
        for (const visitor of visitors) await visitor[ceremony](connection);
      }),
    );
  const newcomers = Array.from({ length: COUNTED }, (_, n) => new Visitor(`counted-${n}`));
  say(`a login: ${await each(strangers({ users }, COUNTED), 'authenticate')}`);
  say(`a registration: ${await each(newcomers, 'register')}`);
}

async function upload(load) {
  const lines = Array.from({ length: listedOf(load.users) }, (_, n) => usernameOf(2 * n + 1));
  const { body, ms } = await load.admin.upload('/userapi/upload', lines.join('\n'));
  load.uploadId = body.uploadId;
  return [ms];
}

async function exportAll({ admin }) {
  const began = performance.now();
  let bytes = 0;
  const { body } = await admin.open('/userapi/export');
  for await (const chunk of body) bytes += chunk.length;
  say(`the export has ${Math.round(bytes / 1e6)} MB`);
  return [performance.now() - began];
}

/** The length of lists. */
function listedOf(users) {
  return Math.min(LISTED, Math.floor(users / 2));
}

async function importOthers({ admin, users }) {
  const count = listedOf(users);
  const { body, ms } = await admin.upload('/userapi/import', exportOfOthers(count));
  if (body.users.created !== count) throw new Error(`imported: ${JSON.stringify(body)}`);
  return [ms];
}

/** An export of users with a key each. */
function exportOfOthers(count) {
  const hash = (text) => sha256(text).toString('base64url');
  const publicKey = coseKeyOf(keyPair.publicKey).toString('base64url');
  const userOfLine = (n) => ({
    ...{ type: 'user', username: `other-${n}`, userHandle: hash(`handle ${n}`) },
    keys: [
      { credentialId: hash(`credential ${n}`), publicKey, signCount: n, backupEligible: false },
    ],
  });
  const header = { type: 'header', format: 'servicefido-users', version: 1, relyingParty: RP_ID };
  const lines = Array.from({ length: count }, (_, n) => userOfLine(n));
  const all = [header, ...lines, { type: 'end', users: count, keys: count }];
  return all.map((line) => `${JSON.stringify(line)}\n`).join('');
}

function deleteListed({ admin, uploadId }) {
  return repeat(1, () => admin.post('/userapi/deletelistusers', { uploadId }));
}

/** The time of each contains the client's work, which creates and certifies the key. */
function registerTpmKeys({ server }) {
  // Creating RSA keys would take the client longer than the server.
  const attestation = (input) => writeTpm(input, { alg: ALG.ES256 });
  const register = (_, begun) =>
    new SoftAuthenticator({ attestation }).create(begun, { origin: ORIGIN });
  return Connection.during(server.port, (connection) =>
    repeat(TPM_KEYS, async (n) => {
      const began = performance.now();
      await new Visitor(`tpm-${n}`, { register }).register(connection, { attestation: 'direct' });
      return { ms: performance.now() - began };
    }),
  );
}
