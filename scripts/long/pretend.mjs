/**
 * `npm run long -- pretend [CALLS --store sqlite|mariadb]`: begins CALLS sign-ins (100,000) at a relying
 * party that does not reveal its users, half of them with known names; completes a fifth of them with a
 * wrong key. A classifier is trained on the answers and times of one half to identify known names, and
 * guesses the other half. Exit code 1 if it is right in more than 52 of a hundred (53 of completed ones:
 * they are fewer), or if two calls with one name are answered with different keys.
 */
import { randomBytes } from 'node:crypto';
import { Authenticator, RP_ID } from '../../bench/client/authenticator.mjs';
import { Connection } from '../../bench/client/connection.mjs';
import { FOR_VISITORS } from '../../bench/contestants.mjs';
import { median } from '../../bench/statistics.mjs';
import { printFigures } from '../lib/harness.mjs';
import { fill } from '../lib/load/population.mjs';
import { runLoad } from '../lib/load/run-load.mjs';
import { binned, exact, shareTold } from '../lib/pretend/classifier.mjs';
import { say } from '../lib/project.mjs';

const MAX = 0.52;
const MAX_OF_RESULTS = 0.53;
const AT_ONCE = 4;
const AGAIN = 200;

const phone = { bytes: 20, transports: 'internal,hybrid' };
const manager = { bytes: 16, transports: 'internal,hybrid' };
const laptop = { bytes: 32, transports: 'internal' };
const stick = { bytes: 64, transports: 'nfc,usb' };
const card = { bytes: 80, transports: 'smart-card' };
const old = { bytes: 64, transports: '' };

/** Combinations of keys, oldest first, and the number of users in a thousand who have each. */
const SHARES = [
  [300, [phone]],
  [180, [manager]],
  [150, [laptop]],
  [90, [laptop, phone]],
  [80, [stick]],
  [60, [stick, stick]],
  [50, [manager, laptop]],
  [30, [phone, manager, laptop]],
  [20, [card]],
  [20, [old]],
  [10, [old, phone]],
  [6, [phone, phone, phone, phone]],
  [4, [laptop, laptop, stick, stick, card]],
];
/** From what the classifier guesses. */
const GUESSES = {
  'of shapes': exact(({ body }) => [shapeOf(body), body.length]),
  'of bytes of the IDs': exact(({ body }) => bytesOfIds(body)),
  'of all bytes': exact(({ head, body }) => [...maskedHead(head), ...body]),
  'of times': binned(({ ms }) => ms),
};
const GUESSES_BY_RESULTS = {
  'of all bytes of a result': exact(({ result: { head, body } }) => [
    ...maskedHead(head),
    ...body.replace(/"requestId":"[^"]*"/, ''),
  ]),
  'of times of results': binned(({ result }) => result.ms),
};
const REDIS = process.env['TEST_REDIS_URL'] || 'redis://127.0.0.1:6379';

await runLoad({ usual: 100_000 }, async ({ size: calls, server, store }) => {
  const sessions = store.name === 'MariaDB' ? ['--sessions', REDIS] : [];
  await server.start(['--db', store.url, ...sessions, ...FOR_VISITORS]);
  const known = namesOf(Math.floor(calls / 2));
  await fill(store, known.length, (n) => ({ username: known[n], keys: keysOfUser() }));
  // Made-up keys have the shapes of the keys that exist at this time.
  await server.admin.setPolicy(RP_ID, { registration: 'ticket', unknownUsers: 'pretend' });
  const names = [...known, ...namesOf(calls - known.length)];
  const asked = names.map((name, n) => ({ name, kind: n < known.length ? 1 : 0 }));
  const samples = shuffled(asked);
  say(`${known.length} users; ${calls} sign-ins are begun`);
  // In the first calls, code is compiled and caches fill.
  await beginAll(server, shuffled(asked.slice(0, 2000).concat(asked.slice(-2000))));
  await beginAll(server, samples);
  const isStable = await areStable(server, samples.slice(0, AGAIN));
  const completed = samples.slice(0, Math.ceil(calls / 5));
  say(`${completed.length} of them are completed with a wrong key`);
  await completeAll(
    server,
    completed.slice(0, 2000).map((sample) => ({ ...sample })),
  );
  await completeAll(server, completed);
  report(samples, completed, { store, isStable });
});

/** Names that cannot be guessed, and do not reveal whether they are known. */
function namesOf(count) {
  return Array.from({ length: count }, () => `${randomBytes(6).toString('hex')}@load.example`);
}

function keysOfUser() {
  let left = Math.random() * 1000;
  const [, keys] = SHARES.find(([share]) => (left -= share) < 0);
  return keys.map(({ bytes, transports }) => ({ credentialId: randomBytes(bytes), transports }));
}

/** Prints the figures; returns whether the classifier stayed below the limit. */
function report(samples, completed, { store, isStable }) {
  const told = sharesOf(samples, GUESSES);
  const toldByResults = sharesOf(completed, GUESSES_BY_RESULTS);
  const percents = [...told, ...toldByResults].map(([name, share]) => [
    `told ${name}`,
    `${(100 * share).toFixed(2)} %`,
  ]);
  const figures = {
    calls: samples.length,
    completed: completed.length,
    ...Object.fromEntries(percents),
    ...timesOf('a begin call', samples, ({ ms }) => ms),
    ...timesOf('a result call', completed, ({ result }) => result.ms),
    'the same when asked again': isStable,
  };
  const isBelow = (shares, most) => shares.every(([, share]) => share <= most);
  const held = isBelow(told, MAX) && isBelow(toldByResults, MAX_OF_RESULTS);
  printFigures(`pretend on ${store.name}`, figures, isStable && held);
}

function sharesOf(samples, guesses) {
  return Object.entries(guesses).map(([name, features]) => [name, shareTold(samples, features)]);
}

/** The median times of calls with a known and with an unknown name. */
function timesOf(call, samples, msOf) {
  const [known, unknown] = [1, 0].map((kind) =>
    median(samples.filter((one) => one.kind === kind).map(msOf)).toFixed(3),
  );
  return {
    [`ms of ${call} with a known name`]: known,
    [`of ${call} with an unknown one`]: unknown,
  };
}

function keysOf(body) {
  return JSON.parse(body).allowCredentials;
}

function shapeOf(body) {
  return JSON.stringify(keysOf(body).map(({ id, ...more }) => [id.length, Object.entries(more)]));
}

/** The first and the last sixteen bytes of the first ID. */
function bytesOfIds(body) {
  const first = Buffer.from(keysOf(body)[0].id, 'base64url');
  return [...first.subarray(0, 16), ...first.subarray(-16)];
}

/** Names and lengths of the headers, in order. */
function maskedHead(head) {
  return head.split('\r\n').map((line) => `${line.slice(0, line.indexOf(':'))} ${line.length}`);
}

/** Begins a sign-in for each sample, and records the answer and its time. */
function beginAll({ port }, samples) {
  return withEach(port, samples, async (connection, sample) => {
    const { ms, head, body } = await timed(() => begin(connection, sample));
    Object.assign(sample, { ms, head, body });
  });
}

/** Begins each again, completes it with a key of another user, and records the second answer. */
function completeAll({ port }, samples) {
  const key = new Authenticator();
  return withEach(port, samples, async (connection, sample) => {
    const begun = await begin(connection, sample);
    const { challenge, allowCredentials } = JSON.parse(begun.body);
    const [{ id }] = allowCredentials;
    const body = JSON.stringify({ ...key.authenticate(challenge), id, rawId: id });
    const cookie = `Cookie: ${begun.cookie}\r\n`;
    sample.result = await timed(() =>
      connection.post('/fidoapi/certify/assertion/result', body, cookie),
    );
    if (!sample.result.body.includes('"E0032R"')) throw new Error(sample.result.body);
  });
}

/** A few samples at a time. */
async function withEach(port, samples, action) {
  let next = 0;
  const visitor = async () => {
    const connection = new Connection(port);
    for (let n = next++; n < samples.length; n = next++) await action(connection, samples[n]);
    connection.close();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, visitor));
}

async function begin(connection, { name }) {
  const body = JSON.stringify({ username: name });
  const answer = await connection.post('/fidoapi/certify/assertion/options', body, '');
  if (answer.status !== 200) throw new Error(answer.body);
  return answer;
}

async function timed(action) {
  const began = performance.now();
  const answer = await action();
  return { ms: performance.now() - began, ...answer };
}

async function areStable(server, samples) {
  const again = samples.map(({ name }) => ({ name }));
  await beginAll(server, again);
  return samples.every(
    ({ body }, n) => JSON.stringify(keysOf(body)) === JSON.stringify(keysOf(again[n].body)),
  );
}

function shuffled(list) {
  const mixed = [...list];
  for (let n = mixed.length - 1; n > 0; n -= 1) {
    const other = Math.floor(Math.random() * (n + 1));
    [mixed[n], mixed[other]] = [mixed[other], mixed[n]];
  }
  return mixed;
}
