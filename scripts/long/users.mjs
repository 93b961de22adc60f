/**
 * `npm run long -- users [USERS --store sqlite|mariadb]` fills a database with users (a million) who have two
 * keys each. While users sign in, the administration and others make expensive calls. Prints the duration of
 * these calls, the delay of the event loop and the duration of a sign-in: the figures of docs/users.md and
 * docs/speed.md. Exit code 1 if the event loop is delayed by more than 50 ms, a sign-in fails, or a hundredth
 * of the searches by words take more than 100 ms. Needs Linux.
 */
import '../lib/register-typescript.mjs';
import { setTimeout as pause } from 'node:timers/promises';
import { ORIGIN } from '../../bench/client/authenticator.mjs';
import { Connection } from '../../bench/client/connection.mjs';
import { Visitor } from '../../bench/client/visitor.mjs';
import { FOR_VISITORS } from '../../bench/contestants.mjs';
import { percentile } from '../../bench/statistics.mjs';
import { spread } from '../lib/harness.mjs';
import { searchText, usernameOf } from '../lib/load/names.mjs';
import { People } from '../lib/load/people.mjs';
import { fill, usersWithKeys } from '../lib/load/population.mjs';
import { runLoad } from '../lib/load/run-load.mjs';
import { say } from '../lib/project.mjs';

const authenticators = '../../test/support/authenticator';
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
const TPM_KEYS = 100;

const SEARCH = 'search by words';

/**
 * Activity during sign-ins, by the administration and others: a title, and a function that returns the
 * milliseconds of each call. The first reads the names, which the search needs.
 */
const JOBS = [
  ['reading all names', readNames],
  ['nothing else', () => pause(QUIET_MS, [])],
  ['prefix search, first page', searchByPrefix],
  ['search with an asterisk in front', searchByEnd],
  [SEARCH, searchByWords],
  ['all pages of 100', (load) => allPages(load, 100)],
  ['all pages of 1,000', (load) => allPages(load, 1000)],
  ['changes of one user', changeOneByOne],
  ['invoices', ({ admin }) => repeat(5, () => admin.get('/userapi/invoice'))],
  ['registrations of TPM keys', registerTpmKeys],
  ['upload of a list', upload],
  ['deletion of its users', deleteListed],
];

await runLoad({ usual: 1_000_000 }, async ({ size: users, server, store }) => {
  const options = ['--db', store.url, ...FOR_VISITORS];
  await server.start(options);
  await server.end();
  say(`filling ${store.name}: ${users} users, ${2 * users} credentials`);
  await fill(store, users, usersWithKeys(2));
  await store.run('DELETE FROM search_progress');
  await store.analyse('users', 'credentials');
  await server.start(options);
  const people = await new People(server.port).join();
  await server.admin.warmUp();
  const load = { server, admin: server.admin, users };
  for (const [title, job] of JOBS) {
    await server.lag();
    const work = () => server.memoryDuring(() => job(load));
    const { result, seconds, durations, failures } = await people.during(work);
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
});

/** @param call resolves with its own `ms` */
async function repeat(count, call) {
  const durations = [];
  for (let n = 0; n < count; n += 1) durations.push((await call(n)).ms);
  return durations;
}

/** The nth of some users that are spread over all. */
function somewhere(n, users) {
  return usernameOf((n * 7919 * 104_729) % users);
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
    admin.manage({ filter: `${somewhere(n, users).slice(0, 4 + (n % 5))}*` }),
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
    const { body, ms } = await admin.manage({ type, filter: somewhere(n >> 1, users) });
    if (body.credentials !== 2) throw new Error(`${type}: ${JSON.stringify(body)}`);
    return { ms };
  });
}

async function upload(load) {
  const listed = Math.min(LISTED, Math.floor(load.users / 2));
  const lines = Array.from({ length: listed }, (_, n) => usernameOf(2 * n + 1));
  const { body, ms } = await load.admin.upload('/userapi/upload', [lines.join('\n')]);
  load.uploadId = body.uploadId;
  return [ms];
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
