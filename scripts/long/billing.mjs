/**
 * `npm run long -- billing [EVENTS --store sqlite|mariadb]` fills a database with events of 30 days (100,000) and
 * measures billing on them: the figures of docs/billing.md. Needs Linux.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { median } from '../../bench/statistics.mjs';
import { idAt, md5, partyRow, tenantRow } from '../lib/load/population.mjs';
import { runLoad } from '../lib/load/run-load.mjs';
import { say } from '../lib/project.mjs';

const DAYS = 30;
const DAY_MS = 86_400_000;
/** The server counts events that are a quarter of an hour old, once a minute. */
const COUNTED_MS = 17 * 60_000;
const RELYING_PARTIES = 100;
const TENANTS = 20;
const USERS = 300_000;
/** Indexes that billing does not read: filling them takes most of the time. */
const UNREAD = ['ix_events_user', 'ix_events_request'];

const now = Date.now();
const first = Math.floor(now / DAY_MS) * DAY_MS - (DAYS - 1) * DAY_MS;
/** Milliseconds between two events. */
const stepOf = (events) => (now - 60_000 - first) / events;
const numbered = (count, make) => Array.from({ length: count }, (_, n) => make(n));
const tenants = numbered(TENANTS, (n) => tenantRow(`tenant${n}`, first));
const parties = numbered(RELYING_PARTIES, (n) =>
  partyRow(`rp${n}.test`, tenants[n % TENANTS].id, first),
);

await runLoad({ usual: 100_000 }, async ({ size: events, server, store }) => {
  const options = ['--db', store.url];
  await server.start(options);
  await server.end();
  await fill(store, events);
  await server.start(options);
  const { estimateMs, basis } = await estimate(server);
  say(`${store.name}, nothing counted: estimate ${estimateMs} ms of ${basis.events} events`);
  const { result: ms, memory } = await server.memoryDuring(() => countAll(store, events));
  say(
    `counted in ${ms.toFixed(0)} ms, a day in ${(ms / DAYS).toFixed(1)} ms; at most ${memory} MiB`,
  );
  for (const [name, days] of [
    ['today', 0],
    ['yesterday', 1],
    ['20 days ago', 20],
  ]) {
    const date = new Date(now - days * DAY_MS).toISOString().slice(0, 10);
    const invoice = () => server.admin.get(`/userapi/invoice?date=${date}`);
    await invoice();
    const estimated = (await estimate(server)).estimateMs;
    const taken = [await invoice(), await invoice(), await invoice()].map((answer) => answer.ms);
    say(`invoice, ${name}: ${median(taken).toFixed(1)} ms, estimated ${estimated} ms`);
  }
});

async function estimate({ admin }) {
  return (await admin.get('/userapi/invoiceest')).body;
}

/** Waits until the server's job has counted all events. @returns the milliseconds from the job's start */
async function countAll(store, events) {
  const upto = async () => Number((await store.one('SELECT upto FROM usage_progress'))?.upto ?? 0);
  const before = await upto();
  while ((await upto()) === before) await pause(10);
  const began = performance.now();
  const last = now - COUNTED_MS - stepOf(events);
  while ((await upto()) < last) await pause(50);
  return performance.now() - began;
}

async function fill(store, events) {
  await store.insert('tenants', tenants);
  await store.insert('relying_parties', parties);
  for (const index of UNREAD)
    await store.run(`DROP INDEX ${index}${store.name === 'MariaDB' ? ' ON events' : ''}`);
  const step = stepOf(events);
  await store.fill(events, (n) => {
    const at = Math.floor(first + n * step);
    const id = idAt(at, n);
    const party = parties[n % RELYING_PARTIES];
    const user = `user${(n * 7919) % USERS}`;
    const event = {
      id,
      at,
      tenant_id: party.tenant_id,
      relying_party_id: party.id,
      user_id: md5(user),
      username: Buffer.from(user),
      credential: md5(user).subarray(8),
      kind: n % 50 === 0 ? 'registration' : 'authentication',
    };
    return { events: [event] };
  });
  await store.run('DELETE FROM usage_progress');
  await store.analyse('events');
}
