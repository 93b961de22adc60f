import { createPrivateKey, createPublicKey, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { createConnection } from 'mysql2/promise';
import { coseKeyOf, newKeyPair } from '../../../bench/client/authenticator.mjs';
import { inProject, say } from '../project.mjs';
import { displayNameOf, usernameOf } from '../load/names.mjs';
import {
  DAYS,
  DISPLAY_NAMES,
  RELYING_PARTIES,
  TENANTS,
  blockOf,
  partyName,
} from './population.mjs';

const SCHEMA = 'servicefido';
/** Beside the server's own tables: how far the filling is, and what it is made of. */
const NOTES = 'servicefido_filling';
/** Users of one transaction. */
const BLOCK = 100_000;
const ROWS = 1000;
const DAY_MS = 86_400_000;
/** The first user came so long ago: within the time that events are kept. */
const BEGAN_DAYS_AGO = 300;
const PATIENCE_MS = 120_000;

/** Indexes that no foreign key needs and that rows do not come in the order of. */
const DROPPED = {
  users: ['uq_users_username', 'uq_users_handle', 'uq_users_subject', 'uq_users_folded_name'],
  credentials: ['uq_credentials_hash', 'ix_credentials_enabled', 'ix_credentials_of_model'],
  events: ['ix_events_relying_party', 'ix_events_user', 'ix_events_request'],
};
const FILLED = [...Object.keys(DROPPED), 'attestations', 'search_words', 'usage_active'];

const built = (path) => import(pathToFileURL(inProject('dist', path)).href);

/** Fills a MariaDB with users, a block at a time, so that it can be stopped and goes on where it was. */
export class Filling {
  #connection;
  #server;
  stopped = false;

  /** @param server URL of a MariaDB that is nobody else's */
  static async open(server) {
    const filling = new Filling();
    filling.#server = server;
    filling.#connection = await createConnection({ uri: server });
    await filling.#sql('SET sql_log_bin = 0');
    await filling.#sql(`CREATE DATABASE IF NOT EXISTS ${SCHEMA}`);
    await filling.#sql(`CREATE DATABASE IF NOT EXISTS ${NOTES}`);
    await filling.#sql(`USE ${SCHEMA}`);
    return filling;
  }

  /** For `--db`. */
  get url() {
    return `${this.#server}/${SCHEMA}`;
  }

  get connection() {
    return this.#connection;
  }

  /** How many users there are. */
  async users() {
    return (await this.#note('users')) ?? 0;
  }

  /**
   * Takes the next of a sequence that runs do not begin anew: who signs in another time is remembered, and who
   * is deleted is gone.
   *
   * @param sequence `visited` or `deleted`
   * @returns the first of the given number
   */
  async take(sequence, count) {
    const first = await this.#note(sequence);
    await this.#sql(`UPDATE ${NOTES}.notes SET ${sequence} = ${sequence} + ?`, [count]);
    return first;
  }

  /** All filled keys are one, whose private key lies beside them: so that anybody can be signed in. */
  async keyPair() {
    const privateKey = createPrivateKey(await this.#note('private_key'));
    return { privateKey, publicKey: createPublicKey(privateKey) };
  }

  /**
   * Makes users until there is the given number; only `stopped` ends it earlier.
   *
   * @param startServer starts the server on this database, and answers what ends it
   */
  async fill(users, startServer) {
    await this.#prepare(startServer);
    if ((await this.users()) < users) await this.#grow(users);
    if (!this.stopped) await this.#addIndexes();
    if (!this.stopped) await this.#sql(`ANALYZE TABLE ${FILLED.join(', ')}`);
  }

  async close() {
    await this.#connection.end();
  }

  /** Relying parties first, so that the server's jobs are done with them before they have any users. */
  async #prepare(startServer) {
    if (await this.#isThere('notes')) return;
    const endFirst = await startServer();
    await endFirst();
    for (const statement of TABLES) await this.#sql(statement);
    await this.#storeParties();
    await this.#storeNames();
    const end = await startServer();
    await this.#until('SELECT COUNT(*) >= ? AS held FROM judgements WHERE done = 1');
    await end();
    await this.#sql(JOBS_ARE_DONE, [Date.now()]);
    await this.#sql(USAGE_DAYS, [Math.floor(Date.now() / DAY_MS)]);
    const { privateKey } = newKeyPair();
    await this.#sql(
      `CREATE TABLE ${NOTES}.notes SELECT 0 AS users, 0 AS visited, 0 AS deleted,
      ? AS began, ? AS private_key`,
      [Date.now() - BEGAN_DAYS_AGO * DAY_MS, privateKey.export({ type: 'pkcs8', format: 'pem' })],
    );
  }

  async #grow(users) {
    for (const setting of SETTINGS) await this.#sql(setting);
    await this.#sql('SET @began = ?, @public_key = ?', [
      Number(await this.#note('began')),
      coseKeyOf((await this.keyPair()).publicKey),
    ]);
    await this.#dropIndexes();
    const began = performance.now();
    const first = await this.users();
    for (let from = first; from < users && !this.stopped; from += BLOCK) {
      const to = Math.min(users, from + BLOCK);
      await this.#storeBlock({ from, to });
      const rate = Math.round(((to - first) / (performance.now() - began)) * 1000);
      say(`${to} of ${users} users, ${rate} a second`);
    }
    for (const setting of AGAIN) await this.#sql(setting);
  }

  async #storeBlock(block) {
    const date = new Date();
    const month = date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
    await this.#sql('START TRANSACTION');
    for (const statement of blockOf(block, month)) await this.#sql(withNotes(statement));
    await this.#sql(`UPDATE ${NOTES}.notes SET users = ?`, [block.to]);
    await this.#sql('COMMIT');
  }

  async #dropIndexes() {
    for (const [table, names] of Object.entries(DROPPED)) {
      const there = await this.#indexesOf(table);
      const dropped = names.filter((name) => there.has(name));
      for (const name of dropped)
        await this.#sql(`REPLACE INTO ${NOTES}.dropped VALUES (?, ?, ?)`, [
          ...[table, name],
          there.get(name),
        ]);
      const drops = dropped.map((name) => `DROP KEY ${name}`);
      if (drops.length > 0) await this.#sql(`ALTER TABLE ${table} ${drops.join(', ')}`);
    }
  }

  /** All of a table at once: it is read once, and each index is written in its own order. */
  async #addIndexes() {
    for (const table of Object.keys(DROPPED)) {
      const there = await this.#indexesOf(table);
      const [rows] = await this.#sql(`SELECT * FROM ${NOTES}.dropped WHERE of_table = ?`, [table]);
      const missing = rows.filter(({ name }) => !there.has(name));
      if (missing.length === 0) continue;
      const began = performance.now();
      const adds = missing.map(({ definition }) => `ADD ${definition}`);
      await this.#sql(`ALTER TABLE ${table} ${adds.join(', ')}`);
      const seconds = Math.round((performance.now() - began) / 1000);
      say(`${missing.length} indexes of ${table} in ${seconds} s`);
    }
  }

  /** By name, as `ALTER TABLE … ADD` takes them. */
  async #indexesOf(table) {
    const [[row]] = await this.#sql(`SHOW CREATE TABLE ${table}`);
    const lines = row['Create Table'].matchAll(/^ *((?:UNIQUE )?KEY `(\w+)` .*?),?$/gm);
    return new Map(Array.from(lines, ([, definition, name]) => [name, definition]));
  }

  async #storeParties() {
    const [[first]] = await this.#sql('SELECT id, tenant_id FROM relying_parties LIMIT 1');
    const now = Date.now();
    const tenants = Array.from({ length: TENANTS }, (_, n) => {
      return [randomBytes(16), `load${n}`, `Tenant ${n}`, now, now];
    });
    const parties = Array.from({ length: RELYING_PARTIES - 1 }, (_, n) => {
      const name = partyName(n + 1);
      return [randomBytes(16), tenants[n % TENANTS][0], name, name, '[]', '{}', now, now];
    });
    await this.#sql(
      'INSERT INTO tenants (id, name, display_name, created_at, changed_at) VALUES ?',
      [tenants],
    );
    await this.#sql(
      `INSERT INTO relying_parties
        (id, tenant_id, domain, name, origins, policy, created_at, changed_at) VALUES ?`,
      [parties],
    );
    const numbered = [
      [0, first.id, first.tenant_id],
      ...parties.map(([id, tenant], n) => [n + 1, id, tenant]),
    ];
    await this.#sql(`INSERT INTO ${NOTES}.parties VALUES ?`, [numbered]);
  }

  /** Display names, and by what the server lets people find them. */
  async #storeNames() {
    const { entriesOf } = await built('users/search/folding.js');
    for (let from = 0; from < DISPLAY_NAMES; from += ROWS) {
      const numbers = Array.from(
        { length: Math.min(ROWS, DISPLAY_NAMES - from) },
        (_, i) => from + i,
      );
      const names = numbers.map((n) => [n, displayNameOf(n)]);
      const words = numbers.flatMap((n) => {
        const username = usernameOf(n);
        const entries = entriesOf({ username, displayName: displayNameOf(n) });
        // What is nobody else's comes with the user.
        return entries
          .filter((word) => !word.includes(username.split('@')[0]))
          .map((word) => [n, word]);
      });
      await this.#sql(`INSERT INTO ${NOTES}.names VALUES ?`, [names]);
      await this.#sql(`INSERT INTO ${NOTES}.words VALUES ?`, [words]);
    }
  }

  async #until(question) {
    const deadline = Date.now() + PATIENCE_MS;
    for (;;) {
      const [[{ held }]] = await this.#sql(question, [RELYING_PARTIES]);
      if (held) return;
      if (Date.now() > deadline) throw new Error(`never: ${question}`);
      await pause(500);
    }
  }

  async #note(name) {
    if (!(await this.#isThere('notes'))) return undefined;
    const [[row]] = await this.#sql(`SELECT ${name} AS value FROM ${NOTES}.notes`);
    return row.value;
  }

  async #isThere(table) {
    const [rows] = await this.#sql(
      'SELECT 1 FROM information_schema.tables WHERE table_schema = ? AND table_name = ?',
      [NOTES, table],
    );
    return rows.length > 0;
  }

  #sql(text, params = []) {
    return this.#connection.query(text, params);
  }
}

const withNotes = (statement) =>
  statement.replaceAll(/STRAIGHT_JOIN (parties|names|words) /g, `STRAIGHT_JOIN ${NOTES}.$1 `);

const TABLES = [
  ...['parties', 'names', 'words', 'dropped'].map(
    (table) => `DROP TABLE IF EXISTS ${NOTES}.${table}`,
  ),
  "DELETE FROM relying_parties WHERE domain LIKE 'rp%.load.example'",
  "DELETE FROM tenants WHERE name LIKE 'load%'",
  `CREATE TABLE ${NOTES}.parties (k INT PRIMARY KEY, id BINARY(16), tenant_id BINARY(16))`,
  `CREATE TABLE ${NOTES}.names (k INT PRIMARY KEY, display_name VARCHAR(255)
    CHARACTER SET utf8mb4 COLLATE utf8mb4_bin)`,
  `CREATE TABLE ${NOTES}.words (k INT, word VARBINARY(96), PRIMARY KEY (k, word))`,
  `CREATE TABLE ${NOTES}.dropped
    (of_table VARCHAR(64), name VARCHAR(64), definition TEXT, PRIMARY KEY (of_table, name))`,
];

/** The jobs count and number what comes from now on: what is filled is marked as counted. */
const JOBS_ARE_DONE = `INSERT INTO usage_progress (id, upto) VALUES (1, ?)
  ON DUPLICATE KEY UPDATE upto = upto`;

const USAGE_DAYS = `INSERT IGNORE INTO usage_days
    (relying_party_id, day, month, registrations, authentications, users, enabled, disabled,
     active_users, events, tenant_id)
  SELECT p.id, d.day, DATE_FORMAT(FROM_UNIXTIME(d.day * 86400), '%Y%m'), 20, 4000, 6000, 17500, 500,
    3000, 4100, p.tenant_id
  FROM ${NOTES}.parties p JOIN (SELECT ? - seq AS day FROM seq_0_to_${DAYS - 1}) d
  ORDER BY p.id, d.day`;

/** Whoever fills checks nothing that holds by construction, and loses at most a block by a power cut. */
const SETTINGS = [
  'SET unique_checks = 0, foreign_key_checks = 0',
  'SET GLOBAL innodb_flush_log_at_trx_commit = 0',
];
const AGAIN = [
  'SET unique_checks = 1, foreign_key_checks = 1',
  'SET GLOBAL innodb_flush_log_at_trx_commit = 1',
];
