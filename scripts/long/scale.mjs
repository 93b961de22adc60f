/**
 * `npm run long -- scale [USERS] [--folder PLACE] [--fill] [--remove]` fills a dedicated MariaDB with USERS
 * users (10,000,000) of 1,000 relying parties, three keys each, and measures the server on it: logins,
 * registrations, lists, searches, invoice, deletion, start, migration; the cost of a login in statements,
 * bytes and locks; the size of each table. The data is kept in PLACE (data/scale): after Ctrl-C the same
 * command continues, and with more USERS it adds to the existing ones. `--fill` measures nothing, `--remove`
 * removes the data at the end. Needs Linux and MariaDB, and some 6 KB of disk space per user.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { totalmem } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { FOR_VISITORS } from '../../bench/contestants.mjs';
import { ensureBuild } from '../lib/build.mjs';
import { printFigures, sizeFrom, spread } from '../lib/harness.mjs';
import { OwnServer } from '../lib/own-server.mjs';
import { Refusal, inProject, say } from '../lib/project.mjs';
import { run } from '../lib/run.mjs';
import { Counters } from '../lib/scale/counters.mjs';
import { Filling } from '../lib/scale/filling.mjs';
import { Measures } from '../lib/scale/measures.mjs';
import { KEYS_OF_USER, MAX_USERS, RELYING_PARTIES } from '../lib/scale/population.mjs';
import { PrivateInstance } from '../lib/services/private-instance.mjs';
import { People } from '../lib/load/people.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    folder: { type: 'string', default: inProject('data/scale') },
    fill: { type: 'boolean', default: false },
    remove: { type: 'boolean', default: false },
  },
});
const folder = resolve(values.folder);
const BUFFER_POOL = Math.min(8 * 2 ** 30, Math.floor(totalmem() * 0.6));
const SLOW_SECONDS = 0.25;
/** The largest table. */
const WIDEST = 'credentials';
/** Typical changes of migrations to a table, and their reversal. */
const MIGRATIONS = [
  [
    'a column with a default',
    'ADD COLUMN scale_probe INT NOT NULL DEFAULT 7',
    'DROP COLUMN scale_probe',
  ],
  ['an index', 'ADD INDEX ix_scale_probe (relying_party_id, id)', 'DROP INDEX ix_scale_probe'],
];
const SIZES = `SELECT t.table_name AS name, SUM(s.file_size) AS bytes, MAX(t.data_length) AS row_bytes,
    MAX(t.index_length) AS index_bytes
  FROM information_schema.tables t
  JOIN information_schema.innodb_sys_tablespaces s ON s.name = CONCAT(t.table_schema, '/', t.table_name)
  WHERE t.table_schema = DATABASE() GROUP BY t.table_name HAVING bytes > 1048576 ORDER BY bytes DESC`;
/** Right after its start the server's jobs process every relying party. */
const FIRST_JOBS_MS = 20_000;
const mib = (bytes) => Math.round(bytes / 2 ** 20);

await run(async () => {
  const users = sizeFrom(positionals, MAX_USERS);
  if (users > MAX_USERS || users % 5 > 0)
    throw new Refusal(`takes a multiple of five, at most ${MAX_USERS}`);
  ensureBuild();
  mkdirSync(folder, { recursive: true });
  const mariadb = await PrivateInstance.mariadb(settingsOf(folder), folder);
  await mariadb.start();
  const filling = await Filling.open(mariadb.url, folder);
  try {
    const filled = await fill(filling, users);
    for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
    if (filled && !values.fill) await measure({ mariadb, filling, users: await filling.users() });
  } finally {
    await filling.store.close();
    await mariadb.remove();
    if (values.remove) rmSync(folder, { recursive: true, force: true });
  }
});
process.exit();

function settingsOf(place) {
  return [
    `--innodb-buffer-pool-size=${BUFFER_POOL}`,
    '--innodb-log-file-size=1G',
    '--innodb-sort-buffer-size=64M',
    // Row images are what a replica or another cluster node receives.
    ...[`--log-bin=${place}/changes`, '--binlog-format=ROW'],
    ...['--slow-query-log', `--long-query-time=${SLOW_SECONDS}`, '--log-output=TABLE'],
    `--tmpdir=${place}`,
    '--max-connections=200',
  ];
}

/** @returns whether all users have been created */
async function fill(filling, users) {
  const stop = () => (filling.stopped = true);
  process.on('SIGINT', stop).on('SIGTERM', stop);
  const began = performance.now();
  await filling.fill(users, async () => {
    const server = await started(filling);
    return () => server.remove();
  });
  process.off('SIGINT', stop).off('SIGTERM', stop);
  const minutes = ((performance.now() - began) / 60_000).toFixed(1);
  if (filling.stopped) say('stopped: the same command goes on here');
  else say(`${await filling.users()} users of ${RELYING_PARTIES} relying parties: ${minutes} min`);
  return !filling.stopped;
}

function optionsOf({ store }) {
  return ['--db', store.url, ...FOR_VISITORS];
}

async function started(filling) {
  const server = new OwnServer();
  await server.start(optionsOf(filling));
  return server;
}

async function measure({ mariadb, filling, users }) {
  const { store } = filling;
  await store.run('TRUNCATE TABLE mysql.slow_log');
  const counters = new Counters(store);
  await counters.enable();
  const server = await started(filling);
  try {
    await server.admin.warmUp();
    await pause(FIRST_JOBS_MS);
    const measures = new Measures({ server, filling, counters, mariadb, users });
    await measures.all();
    const people = await new People(server.port).join();
    const failures = [...measures.failures, ...(await migrate(store, people))];
    await sayStart(server, filling);
    await saySlow(store);
    await saySizes(store, users);
    for (const failure of failures) say(failure);
    const figures = { users, keys: KEYS_OF_USER * users, failed: failures.length };
    printFigures('scale', figures, failures.length === 0);
  } finally {
    await server.remove();
  }
}

/** The duration of a start on existing data. */
async function sayStart(server, filling) {
  for (let times = 0; times < 3; times += 1) {
    await server.end();
    const began = performance.now();
    await server.start(optionsOf(filling));
    say(`start: ${((performance.now() - began) / 1000).toFixed(2)} s`);
  }
}

/** Changes the largest table as migrations do, while users sign in, and reverts it. @returns their failures */
async function migrate(store, people) {
  const failed = [];
  for (const [title, change, undo] of MIGRATIONS) {
    const { seconds, durations, failures } = await people.during(() =>
      store.run(`ALTER TABLE ${WIDEST} ${change}`),
    );
    await store.run(`ALTER TABLE ${WIDEST} ${undo}`);
    failed.push(...failures);
    const meanwhile = `${durations.length} logins meanwhile, ${spread(durations)}`;
    say(`${title} of ${WIDEST}: ${seconds.toFixed(2)} s; ${meanwhile}`);
  }
  return failed;
}

/** The tables of more than a megabyte, largest first: bytes on disk, of rows and of indexes. */
async function saySizes(store, users) {
  const tables = await store.rows(SIZES);
  for (const { name, bytes, row_bytes, index_bytes } of tables) {
    const rows = await store.count(name);
    const each = (size) => Math.round(Number(size) / rows);
    const parts = `${each(row_bytes)} a row, ${each(index_bytes)} in indexes`;
    say(`${name}: ${mib(bytes)} MiB, ${rows} rows, ${each(bytes)} bytes each (${parts})`);
  }
  const all = tables.reduce((sum, { bytes }) => sum + Number(bytes), 0);
  say(`together: ${mib(all)} MiB, ${Math.round(all / users)} bytes a user`);
}

/** Slow statements, each once: they are the first to show the effect of size. */
async function saySlow(store) {
  const rows = await store.rows(
    `SELECT LEFT(CONVERT(sql_text USING utf8mb4), 90) AS text, COUNT(*) AS n,
      MAX(TIME_TO_SEC(query_time) + MICROSECOND(query_time) / 1e6) AS longest, MAX(rows_examined) AS examined
    FROM mysql.slow_log WHERE db = DATABASE() GROUP BY 1 ORDER BY longest DESC LIMIT 20`,
  );
  for (const { text, n, longest, examined } of rows) {
    const seconds = Number(longest).toFixed(2);
    say(`slow: ${n} times, ${seconds} s, ${examined} rows: ${text.replaceAll(/\s+/g, ' ')}`);
  }
}
