/**
 * Fills a database with events and measures what billing does with them: the figures of
 * docs/billing.md. Needs a build; makes a database of its own and removes it.
 *
 *   npm run long -- billing sqlite 1000000
 *   npm run long -- billing mysql://root@127.0.0.1:3306 10000000
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import 'reflect-metadata';
import Database from 'better-sqlite3';
import { createConnection } from 'mysql2/promise';
import { NestFactory } from '@nestjs/core';

const DAYS = 30;
const DAY_MS = 86_400_000;
const RELYING_PARTIES = 100;
const TENANTS = 20;
const USERS = 300_000;
const CHUNK = 500_000;
const MARIADB_NEEDED = 'The SEQUENCE engine of MariaDB makes the events: MySQL has none.';

const [target = 'sqlite', wanted = '100000'] = process.argv.slice(2);
const events = Number(wanted);
const built = (path) => import(new URL(`../../dist/${path}.js`, import.meta.url));

const { AppModule } = await built('app.module');
const { Estimate } = await built('billing/pricing/estimate');
const { InvoiceService } = await built('billing/invoices/invoice.service');
const { RollUp } = await built('billing/usage/roll-up');
const { UsageStore } = await built('billing/usage/usage-store');
const { optionsWith } = await built('platform/config/load-options');

const ACCOUNT = { name: 'load', role: 'admin' };
const now = Date.now();
const first = Math.floor(now / DAY_MS) * DAY_MS - (DAYS - 1) * DAY_MS;
const step = (now - 60_000 - first) / events;
const id16 = (text) => createHash('md5').update(text).digest();
const names = (prefix, n) => Array.from({ length: n }, (_, i) => `${prefix}${i}`);
const tenants = names('tenant', TENANTS).map((name) => ({ name, id: id16(name) }));
const parties = names('rp', RELYING_PARTIES).map((name, n) => ({
  domain: `${name}.test`,
  id: id16(name),
  tenant: tenants[n % TENANTS].id,
}));

const place = target === 'sqlite' ? await sqlitePlace() : await mysqlPlace(target);
const options = optionsWith({
  data: mkdtempSync(join(tmpdir(), 'billing-load-')),
  db: place.url,
  adminPassword: 'load test',
  logLevel: 'silent',
});

try {
  await withServices(async () => undefined); // makes the schema
  report('filled', await timed(() => place.fill()));
  await withServices(measure);
} finally {
  await place.remove();
  rmSync(options.data, { recursive: true, force: true });
}

async function measure(app) {
  const [invoices, estimate, rollUp, store] = [
    app.get(InvoiceService),
    app.get(Estimate),
    app.get(RollUp),
    app.get(UsageStore),
  ];
  const ask = (day) => timed(() => invoices.answer(day, ACCOUNT));
  const before = process.memoryUsage().rss;
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 50);
  const today = invoices.today();

  // Nothing is counted yet: the first invoice counts all.
  await begin(rollUp, store);
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
async function begin(rollUp, store) {
  const clock = rollUp.clock;
  const real = clock.now.bind(clock);
  clock.now = () => first + 20 * 60_000 + (events / 10) * step;
  await rollUp.catchUp();
  clock.now = real;
  console.log(`counted to begin with       up to ${new Date(await store.upto()).toISOString()}`);
}

async function withServices(action) {
  const app = await NestFactory.createApplicationContext(
    AppModule.with(options, { migrates: true }),
    {
      logger: false,
      abortOnError: false,
    },
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

async function sqlitePlace() {
  const directory = mkdtempSync(join(tmpdir(), 'billing-load-'));
  const file = join(directory, 'load.sqlite');
  return {
    url: `sqlite:${file}`,
    fill: async () => fillSqlite(new Database(file)),
    remove: async () => rmSync(directory, { recursive: true, force: true }),
  };
}

function fillSqlite(db) {
  db.pragma('synchronous = OFF');
  const run = (sql, ...params) => db.prepare(sql).run(...params);
  for (const [sql, ...params] of masterData()) run(sql, ...params);
  const insert = db.prepare(
    `INSERT INTO events (id, at, tenant_id, relying_party_id, user_id, username, credential, kind)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  db.transaction(() => {
    for (let n = 0; n < events; n += 1) {
      const at = Math.floor(first + n * step);
      const id = randomBytes(16);
      id.writeUIntBE(at, 0, 6);
      const party = parties[n % RELYING_PARTIES];
      const user = (n * 7919) % USERS;
      const kind = n % 50 === 0 ? 'registration' : 'authentication';
      const name = Buffer.from(`user${user}`);
      insert.run(id, at, party.tenant, party.id, id16(`u${user}`), name, id.subarray(8), kind);
    }
  })();
  db.close();
}

async function mysqlPlace(url) {
  const schema = `billing_load_${process.pid}`;
  const admin = await createConnection(url);
  await admin.query(`CREATE DATABASE ${schema}`);
  return {
    url: `${url.replace(/\/$/, '')}/${schema}`,
    async fill() {
      await admin.query(`USE ${schema}`);
      const [engines] = await admin.query(
        "SELECT 1 FROM information_schema.engines WHERE engine = 'SEQUENCE'",
      );
      if (engines.length === 0) throw new Error(MARIADB_NEEDED);
      for (const [sql, ...params] of masterData()) await admin.query(sql, params);
      // Indexes that billing does not read: filling them takes most of the time.
      await admin.query('DROP INDEX ix_events_user ON events');
      await admin.query('DROP INDEX ix_events_request ON events');
      for (let n = 0; n < events; n += CHUNK) await fillMariadb(admin, n);
      await admin.query('ANALYZE TABLE events');
    },
    async remove() {
      await admin.query(`DROP DATABASE ${schema}`);
      await admin.end();
    },
  };
}

function fillMariadb(connection, from) {
  const to = Math.min(from + CHUNK, events) - 1;
  const party = `CONCAT('rp', s.seq % ${RELYING_PARTIES})`;
  const user = `(s.seq * 7919) % ${USERS}`;
  return connection.query(
    `INSERT INTO events (id, at, tenant_id, relying_party_id, user_id, username, credential, kind)
     SELECT UNHEX(CONCAT(LPAD(HEX(t.at), 12, '0'), LEFT(MD5(t.seq), 20))), t.at, t.tenant, t.party,
       t.user, t.username, LEFT(UNHEX(MD5(t.seq)), 8), t.kind
     FROM (SELECT s.seq, FLOOR(${first} + s.seq * ${step}) AS at,
       UNHEX(MD5(CONCAT('tenant', s.seq % ${RELYING_PARTIES} % ${TENANTS}))) AS tenant,
       UNHEX(MD5(${party})) AS party, UNHEX(MD5(CONCAT('u', ${user}))) AS user,
       CONCAT('user', ${user}) AS username,
       IF(s.seq % 50 = 0, 'registration', 'authentication') AS kind
       FROM seq_${from}_to_${to} s) t`,
  );
}

function masterData() {
  return [
    ...tenants.map(({ id, name }) => [
      `INSERT INTO tenants (id, name, display_name, created_at, changed_at, closed_at)
       VALUES (?, ?, ?, ?, ?, 0)`,
      ...[id, name, name, first, first],
    ]),
    ...parties.map(({ id, tenant, domain }) => [
      `INSERT INTO relying_parties
         (id, tenant_id, domain, name, origins, policy, created_at, changed_at, closed_at)
       VALUES (?, ?, ?, ?, '[]', '{}', ?, ?, 0)`,
      ...[id, tenant, domain, domain, first, first],
    ]),
  ];
}
