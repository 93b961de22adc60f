#!/usr/bin/env node
/**
 * `npm run test:pretend [-- CALLS [sqlite|mysql://root@127.0.0.1:3306]]`: so many sign-ins (100,000) are
 * begun at a relying party that does not tell who is a user, half of them with names that are known. A
 * classifier learns from half of the answers and of the times that they took which is which, and is
 * asked of the others. Exit code 1 where it is right more often than in 52 of a hundred, or where two calls
 * with one name are told other keys.
 */
import { Connection } from '../bench/client/connection.mjs';
import { UNLIMITED } from '../bench/contestants.mjs';
import { median } from '../bench/statistics.mjs';
import { ensureBuild } from './lib/build.mjs';
import { printFigures, sizeFrom } from './lib/harness.mjs';
import { OwnServer, PASSWORD } from './lib/own-server.mjs';
import { binned, shareTold } from './lib/pretend/classifier.mjs';
import { exportOf, namesOf } from './lib/pretend/population.mjs';
import { run, say } from './lib/project.mjs';
import { Administrator } from './lib/transfer/administrator.mjs';
import { LoadDatabase } from './lib/users-load/database.mjs';

const DOMAIN = 'load.example';
const MOST = 0.52;
const AT_ONCE = 4;
const AGAIN = 200;
const [wanted, [target = 'sqlite']] = [process.argv.slice(2, 3), process.argv.slice(3)];

await run(async () => {
  const calls = sizeFrom(wanted, 100_000);
  ensureBuild();
  const server = new OwnServer();
  const database = target === 'sqlite' ? undefined : await LoadDatabase.create(target);
  const place = database ? ['--db', database.url] : [];
  try {
    await server.start([...place, '--domain', DOMAIN, ...UNLIMITED]);
    const known = namesOf(Math.floor(calls / 2));
    await new Administrator(server).import(exportOf(DOMAIN, known));
    await pretend(server);
    const names = [...known, ...namesOf(calls - known.length)];
    const asked = names.map((name, n) => ({ name, kind: n < known.length ? 1 : 0 }));
    const samples = shuffled(asked);
    say(`${known.length} users; ${calls} sign-ins are begun`);
    // Code is compiled in the first calls, and caches fill.
    await beginAll(server, shuffled(asked.slice(0, 2000).concat(asked.slice(-2000))));
    await beginAll(server, samples);
    const isStable = await areStable(server, samples.slice(0, AGAIN));
    judge(samples, isStable);
  } finally {
    await server.remove();
    await database?.remove();
  }
});
process.exit();

function judge(samples, isStable) {
  const told = {
    'of shapes': shareTold(samples, () => ({ body }) => [shapeOf(body), body.length]),
    'of bytes of the IDs': shareTold(
      samples,
      () =>
        ({ body }) =>
          bytesOfIds(body),
    ),
    'of all bytes': shareTold(samples, () => ({ head, body }) => [...maskedHead(head), ...body]),
    'of times': shareTold(
      samples,
      binned(({ ms }) => ms),
    ),
  };
  const figures = Object.entries(told).map(([name, share]) => [
    `told ${name}`,
    `${(100 * share).toFixed(2)} %`,
  ]);
  const times = [1, 0].map((kind) =>
    median(samples.filter((one) => one.kind === kind).map(({ ms }) => ms)),
  );
  printFigures(
    'pretend',
    {
      calls: samples.length,
      ...Object.fromEntries(figures),
      'ms of a known name': times[0].toFixed(3),
      'ms of an unknown one': times[1].toFixed(3),
      'the same when asked again': isStable,
    },
    isStable && Math.max(...Object.values(told)) <= MOST,
  );
}

function keysOf(body) {
  return JSON.parse(body).allowCredentials;
}

function shapeOf(body) {
  return JSON.stringify(keysOf(body).map(({ id, ...more }) => [id.length, Object.entries(more)]));
}

/** Of the first ID those from the front, and those from its end. */
function bytesOfIds(body) {
  const first = Buffer.from(keysOf(body)[0].id, 'base64url');
  return [...first.subarray(0, 16), ...first.subarray(-16)];
}

/** Names and lengths of the headers, in their order. */
function maskedHead(head) {
  return head.split('\r\n').map((line) => `${line.slice(0, line.indexOf(':'))} ${line.length}`);
}

/** With the keys of those who are users at this moment, from now on. */
async function pretend({ url }) {
  const answer = await fetch(`${url}/tenantapi/tenants/default/relying-parties/${DOMAIN}`, {
    method: 'PATCH',
    headers: {
      authorization: `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ policy: { registration: 'ticket', unknownUsers: 'pretend' } }),
  });
  if (answer.status !== 200) throw new Error(await answer.text());
}

/** Begins a sign-in for each, a few at a time, and notes the answer and its time. */
async function beginAll({ port }, samples) {
  let next = 0;
  const visitor = async () => {
    const connection = new Connection(port);
    for (let n = next++; n < samples.length; n = next++) {
      const body = JSON.stringify({ username: samples[n].name });
      const began = performance.now();
      const answer = await connection.post('/fidoapi/certify/assertion/options', body, '');
      samples[n].ms = performance.now() - began;
      if (answer.status !== 200) throw new Error(answer.body);
      Object.assign(samples[n], { head: answer.head, body: answer.body });
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, visitor));
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
