/**
 * `npm run long -- billing [EVENTS --store sqlite|mariadb]` fills a database with events (100,000) and measures
 * what billing does with them: the figures of docs/billing.md.
 */
import { createHash, randomBytes } from 'node:crypto';
import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { runLoad } from '../lib/load/run-load.mjs';

const DAYS = 30;
const DAY_MS = 86_400_000;
const RELYING_PARTIES = 100;
const TENANTS = 20;
const USERS = 300_000;
/** Indexes that billing does not read: filling them takes most of the time. */
const UNREAD = ['ix_events_user', 'ix_events_request'];

const built = (path) => import(new URL(`../../dist/${path}.js`, import.meta.url));

const ACCOUNT = { name: 'load', role: 'admin' };
const now = Date.now();
const first = Math.floor(now / DAY_MS) * DAY_MS - (DAYS - 1) * DAY_MS;
const id16 = (text) => createHash('md5').update(text).digest();
const names = (prefix, n) => Array.from({ length: n }, (_, i) => `${prefix}${i}`);
const since = { created_at: first, changed_at: first, closed_at: 0 };
const tenants = names('tenant', TENANTS).map((name) => ({
  ...{ id: id16(name), name, display_name: name },
  ...since,
}));
const parties = names('rp', RELYING_PARTIES).map((name, n) => ({
  ...{ id: id16(name), tenant_id: tenants[n % TENANTS].id, domain: `${name}.test`, name },
  ...{ origins: '[]', policy: '{}', ...since },
}));

await runLoad({ usual: 100_000 }, async ({ size: events, server, store }) => {
  const { optionsWith } = await built('platform/config/load-options');
  const options = optionsWith({
    ...{ data: server.folder, db: store.url, adminPassword: 'load test', logLevel: 'silent' },
  });
  await withServices(options, async () => undefined); // makes the schema
  report('filled', await timed(() => fill(store, events)));
  await withServices(options, (app) => measure(app, events));
});

async function measure(app, events) {
  const services = [
    ['billing/invoices/invoice.service', 'InvoiceService'],
    ['billing/pricing/estimate', 'Estimate'],
    ['billing/usage/roll-up', 'RollUp'],
    ['billing/usage/usage-store', 'UsageStore'],
  ].map(async ([path, name]) => app.get((await built(path))[name]));
  const [invoices, estimate, rollUp, store] = await Promise.all(services);
  const ask = (day) => timed(() => invoices.answer(day, ACCOUNT));
  const before = process.memoryUsage().rss;
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 50);
  const today = invoices.today();

  // Nothing is counted yet: the first invoice counts all.
  await begin(rollUp, store, events);
  const cold = await estimate.answer(ACCOUNT);
  report('estimate takes', await timed(() => estimate.answer(ACCOUNT)));
  console.log(`estimate, nothing counted   ${cold.estimateMs} ms of ${cold.basis.events} events`);
  const all = await ask(today);
  report('first invoice', all);
  report('  a day of it', all / DAYS);
  console.log(`  memory                    ${mib(before)} MiB before, ${mib(peak)} MiB at most`);
  for (const [name, day] of [
    ['today', today],
    ['yesterday', today - 1],
    ['20 days ago', today - 20],
  ]) {
    await ask(day);
    const { estimateMs } = await estimate.answer(ACCOUNT);
    const runs = [await ask(day), await ask(day), await ask(day)].sort((a, b) => a - b);
    console.log(`invoice, ${name.padEnd(18)} ${runs[1].toFixed(1)} ms, estimated ${estimateMs} ms`);
  }
  report('estimate takes', await timed(() => estimate.answer(ACCOUNT)));
  clearInterval(watch);
}

/** A job that runs for a while knows its pace; this one has just begun. */
async function begin(rollUp, store, events) {
  const clock = rollUp.clock;
  const real = clock.now.bind(clock);
  clock.now = () => first + 20 * 60_000 + (events / 10) * stepOf(events);
  await rollUp.catchUp();
  clock.now = real;
  console.log(`counted to begin with       up to ${new Date(await store.upto()).toISOString()}`);
}

async function withServices(options, action) {
  const { AppModule } = await built('app.module');
  const app = await NestFactory.createApplicationContext(
    AppModule.with(options, { migrates: true }),
    { logger: false, abortOnError: false },
  );
  try {
    await action(app);
  } finally {
    await app.close();
  }
}

async function timed(action) {
  const began = performance.now();
  await action();
  return performance.now() - began;
}

function report(what, ms) {
  console.log(`${what.padEnd(28)}${ms.toFixed(1)} ms`);
}

function mib(bytes) {
  return Math.round(bytes / 2 ** 20);
}

/** Milliseconds between two events. */
function stepOf(events) {
  return (now - 60_000 - first) / events;
}

async function fill(store, events) {
  await store.insert('tenants', tenants);
  await store.insert('relying_parties', parties);
  for (const index of UNREAD)
    await store.run(`DROP INDEX ${index}${store.name === 'MariaDB' ? ' ON events' : ''}`);
  const step = stepOf(events);
  await store.fill(events, (n) => {
    const at = Math.floor(first + n * step);
    const id = randomBytes(16);
    id.writeUIntBE(at, 0, 6);
    const party = parties[n % RELYING_PARTIES];
    const user = `user${(n * 7919) % USERS}`;
    const event = {
      ...{ id, at, tenant_id: party.tenant_id, relying_party_id: party.id, user_id: id16(user) },
      ...{ username: Buffer.from(user), credential: id.subarray(8) },
      kind: n % 50 === 0 ? 'registration' : 'authentication',
    };
    return { events: [event] };
  });
  await store.analyse('events');
}
