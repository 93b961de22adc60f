/**
 * `npm run long -- pretend [CALLS --store sqlite|mariadb]`: begins CALLS sign-ins (100,000) at a relying
 * party that does not reveal its users, half of them with known names; completes a fifth of them with a
 * wrong key. A classifier is trained on the answers and times of one half to identify known names, and
 * guesses the other half. Exit code 1 if it is right in more than 52 of a hundred (53 of completed ones:
 * they are fewer).
 */
import { randomBytes } from 'node:crypto';
import { Authenticator, RP_ID } from '../../bench/client/authenticator.mjs';
import { Connection } from '../../bench/client/connection.mjs';
import { FOR_VISITORS } from '../../bench/contestants.mjs';
import { printFigures } from '../lib/harness.mjs';
import { fill } from '../lib/load/population.mjs';
import { runLoad } from '../lib/load/run-load.mjs';
import { binned, exact, shareTold } from '../lib/pretend/classifier.mjs';
import { say } from '../lib/project.mjs';

const MAX = 0.52;
const MAX_OF_RESULTS = 0.53;
const AT_ONCE = 4;
/** In the first calls, code is compiled and caches fill. */
const WARM_UP = 4000;
/** One call in this number is completed. */
const COMPLETED = 5;
const CALL = '/fidoapi/certify/assertion';

const phone = { bytes: 20, transports: 'internal,hybrid' };
const manager = { bytes: 16, transports: 'internal,hybrid' };
const laptop = { bytes: 32, transports: 'internal' };
const stick = { bytes: 64, transports: 'nfc,usb' };
const card = { bytes: 80, transports: 'smart-card' };
const old = { bytes: 64, transports: '' };

/** Combinations of keys, oldest first, and the number of users in a thousand who have each. */
const SHARES = [
  [320, [phone]],
  [200, [manager]],
  [150, [laptop]],
  [100, [laptop, phone]],
  [100, [stick]],
  [60, [stick, stick]],
  [40, [card]],
  [20, [old, phone]],
  [10, [laptop, laptop, stick, stick, card]],
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

await runLoad({ usual: 100_000 }, async ({ size: calls, server, store }) => {
  await server.start([...store.options, ...FOR_VISITORS]);
  const known = namesOf(Math.floor(calls / 2));
  await fill(store, known.length, (n) => ({ username: known[n], keys: keysOfUser() }));
  // Made-up keys have the shapes of the keys that exist at this time.
  await server.admin.setPolicy(RP_ID, { registration: 'ticket', unknownUsers: 'pretend' });
  const names = [...known, ...namesOf(calls - known.length)];
  const asked = names.map((name, n) => ({ name, kind: n < known.length ? 1 : 0 }));
  const samples = shuffled(asked);
  say(`${known.length} users; ${calls} sign-ins are begun, a fifth of them completed`);
  await signInAll(
    server,
    samples.slice(-WARM_UP).map((sample) => ({ ...sample })),
  );
  await signInAll(server, samples);
  const completed = samples.filter(({ result }) => result);
  const told = sharesOf(samples, GUESSES);
  const toldByResults = sharesOf(completed, GUESSES_BY_RESULTS);
  const percents = [...told, ...toldByResults].map(([name, share]) => [
    `told ${name}`,
    `${(100 * share).toFixed(2)} %`,
  ]);
  const figures = { calls, completed: completed.length, ...Object.fromEntries(percents) };
  const isBelow = (shares, most) => shares.every(([, share]) => share <= most);
  const held = isBelow(told, MAX) && isBelow(toldByResults, MAX_OF_RESULTS);
  printFigures(`pretend on ${store.name}`, figures, held);
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

function sharesOf(samples, guesses) {
  return Object.entries(guesses).map(([name, features]) => [name, shareTold(samples, features)]);
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

/** A few samples at a time. */
async function signInAll({ port }, samples) {
  const key = new Authenticator();
  let next = 0;
  const visitor = async (connection) => {
    for (let n = next++; n < samples.length; n = next++)
      await signIn(connection, samples[n], n % COMPLETED === 0 && key);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, () => Connection.during(port, visitor)));
}

/** Begins a sign-in, perhaps completes it with a key of another user, and records the answers and their times. */
async function signIn(connection, sample, key) {
  const begun = await timed(() =>
    connection.post(`${CALL}/options`, JSON.stringify({ username: sample.name }), ''),
  );
  if (begun.status !== 200) throw new Error(begun.body);
  Object.assign(sample, begun);
  if (!key) return;
  const { challenge, allowCredentials } = JSON.parse(begun.body);
  const [{ id }] = allowCredentials;
  const body = JSON.stringify({ ...key.authenticate(challenge), id, rawId: id });
  const cookie = `Cookie: ${begun.cookie}\r\n`;
  sample.result = await timed(() => connection.post(`${CALL}/result`, body, cookie));
  if (!sample.result.body.includes('"E0032R"')) throw new Error(sample.result.body);
}

async function timed(action) {
  const began = performance.now();
  const answer = await action();
  return { ms: performance.now() - began, ...answer };
}

function shuffled(list) {
  const mixed = [...list];
  for (let n = mixed.length - 1; n > 0; n -= 1) {
    const other = Math.floor(Math.random() * (n + 1));
    [mixed[n], mixed[other]] = [mixed[other], mixed[n]];
  }
  return mixed;
}
