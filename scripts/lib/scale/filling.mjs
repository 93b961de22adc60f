import { createPrivateKey, createPublicKey } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { coseKeyOf, newKeyPair } from '../../../bench/client/authenticator.mjs';
import { partyRow, tenantRow } from '../load/population.mjs';
import { Store } from '../load/stores.mjs';
import { readJson, say } from '../project.mjs';
import { RELYING_PARTIES, partyName, rowsOfBlock } from './population.mjs';

const SCHEMA = 'servicefido';
const TENANTS = 100;
/** Days of usage for each relying party. */
const DAYS = 365;
/** Users per transaction. */
const BLOCK = 100_000;
const DAY_MS = 86_400_000;
/** The age of the first user: within the retention of events. */
const BEGAN_DAYS_AGO = 300;
const PATIENCE_MS = 600_000;

/** Indexes that no foreign key needs and whose order is not that of the rows. */
const DROPPED = {
  users: ['uq_users_username', 'uq_users_handle', 'uq_users_subject', 'uq_users_folded_name'],
  credentials: ['uq_credentials_hash', 'ix_credentials_enabled', 'ix_credentials_of_model'],
  events: ['ix_events_relying_party', 'ix_events_user', 'ix_events_request'],
};
const FILLED = [...Object.keys(DROPPED), 'attestations', 'search_words', 'usage_active'];

/** Fills a MariaDB with users, a block at a time, so that it can be stopped and continued. */
export class Filling {
  #file;
  #notes;
  stopped = false;

  /**
   * @param server URL of a dedicated MariaDB
   * @param folder for notes on the composition of the users
   */
  static async open(server, folder) {
    const filling = new Filling();
    filling.#file = join(folder, 'notes.json');
    if (existsSync(filling.#file)) filling.#notes = readJson(filling.#file);
    const administration = new Store(server);
    await administration.run(`CREATE DATABASE IF NOT EXISTS ${SCHEMA}`);
    await administration.close();
    filling.store = new Store(`${server}/${SCHEMA}`);
    await filling.store.run('SET sql_log_bin = 0');
    return filling;
  }

  /** The number of users: the last one is never deleted. */
  async users() {
    const last = await this.store.one(
      "SELECT username FROM users WHERE username LIKE 'k%@load.example' ORDER BY id DESC LIMIT 1",
    );
    return last ? Number(/\d+/.exec(last.username)[0]) + 1 : 0;
  }

  /**
   * Takes the next numbers of a sequence that continues across runs: a user who signs in twice would be
   * cached, and a deleted one no longer exists.
   *
   * @param sequence `visited` or `deleted`
   * @returns the first of the given number
   */
  take(sequence, count) {
    const first = this.#notes[sequence];
    this.#note({ [sequence]: first + count });
    return first;
  }

  /** All filled keys are the same, so that the script can sign in as any user. */
  get keyPair() {
    const privateKey = createPrivateKey(this.#notes.privateKey);
    return { privateKey, publicKey: createPublicKey(privateKey) };
  }

  /**
   * Creates users until the given number is reached; only `stopped` ends it earlier.
   *
   * @param startServer starts the server on this database, and returns a function that ends it
   */
  async fill(users, startServer) {
    if (!this.#notes) await this.#prepare(startServer);
    if ((await this.users()) < users) await this.#grow(users);
    if (!this.stopped) await this.#addIndexes();
    if (!this.stopped) await this.store.analyse(...FILLED);
  }

  /** Relying parties first, so that the server's jobs process them before they have any users. */
  async #prepare(startServer) {
    const endFirst = await startServer();
    await endFirst();
    await this.#storeParties();
    const end = await startServer();
    await this.#untilJudged();
    await end();
    // The jobs count and number only later events: filled ones count as done.
    await this.store.run('DELETE FROM usage_progress');
    await this.store.insert('usage_progress', [{ id: 1, upto: Date.now() }]);
    await this.store.run('DELETE FROM usage_days');
    await this.store.insertAll('usage_days', usageDays(await this.#parties()));
    const privateKey = newKeyPair().privateKey.export({ type: 'pkcs8', format: 'pem' });
    const began = Date.now() - BEGAN_DAYS_AGO * DAY_MS;
    this.#note({ visited: 0, deleted: 0, began, privateKey, dropped: {} });
  }

  async #grow(users) {
    // Skips checks of constraints that the data satisfies; a power cut costs at most a block.
    await this.store.run('SET unique_checks = 0, foreign_key_checks = 0');
    await this.store.run('SET GLOBAL innodb_flush_log_at_trx_commit = 0');
    await this.#dropIndexes();
    const publicKey = coseKeyOf(this.keyPair.publicKey);
    const place = { parties: await this.#parties(), began: this.#notes.began, publicKey };
    const began = performance.now();
    const first = await this.users();
    for (let from = first; from < users && !this.stopped; from += BLOCK) {
      const to = Math.min(users, from + BLOCK);
      await this.store.run('START TRANSACTION');
      for (const [table, rows] of Object.entries(rowsOfBlock({ from, to }, place)))
        await this.store.insertAll(table, rows);
      await this.store.run('COMMIT');
      const rate = Math.round(((to - first) / (performance.now() - began)) * 1000);
      say(`${to} of ${users} users, ${rate} a second`);
    }
    await this.store.run('SET unique_checks = 1, foreign_key_checks = 1');
    await this.store.run('SET GLOBAL innodb_flush_log_at_trx_commit = 1');
  }

  async #dropIndexes() {
    for (const [table, names] of Object.entries(DROPPED)) {
      const there = await this.#indexesOf(table);
      const dropped = names.filter((name) => there.has(name));
      if (dropped.length === 0) continue;
      const definitions = dropped.map((name) => there.get(name));
      this.#note({ dropped: { ...this.#notes.dropped, [table]: definitions } });
      await this.store.run(
        `ALTER TABLE ${table} ${dropped.map((name) => `DROP KEY ${name}`).join(', ')}`,
      );
    }
  }

  /** All of a table at once: it is read once, and each index is written in its own order. */
  async #addIndexes() {
    for (const [table, definitions] of Object.entries(this.#notes.dropped)) {
      const there = new Set((await this.#indexesOf(table)).values());
      const missing = definitions.filter((definition) => !there.has(definition));
      if (missing.length === 0) continue;
      const began = performance.now();
      await this.store.run(
        `ALTER TABLE ${table} ${missing.map((definition) => `ADD ${definition}`).join(', ')}`,
      );
      const seconds = Math.round((performance.now() - began) / 1000);
      say(`${missing.length} indexes of ${table} in ${seconds} s`);
    }
  }

  /** By name, in the syntax of `ALTER TABLE … ADD`. */
  async #indexesOf(table) {
    const row = await this.store.one(`SHOW CREATE TABLE ${table}`);
    const lines = row['Create Table'].matchAll(/^ *((?:UNIQUE )?KEY `(\w+)` .*?),?$/gm);
    return new Map(Array.from(lines, ([, definition, name]) => [name, definition]));
  }

  async #storeParties() {
    const now = Date.now();
    const tenants = Array.from({ length: TENANTS }, (_, n) => tenantRow(`load${n}`, now));
    const parties = Array.from({ length: RELYING_PARTIES - 1 }, (_, n) =>
      partyRow(partyName(n + 1), tenants[n % TENANTS].id, now),
    );
    await this.store.run("DELETE FROM relying_parties WHERE domain LIKE 'rp%.load.example'");
    await this.store.run("DELETE FROM tenants WHERE name LIKE 'load%'");
    await this.store.insert('tenants', tenants);
    await this.store.insert('relying_parties', parties);
  }

  /** The IDs of the relying parties, in the order of their numbers. */
  async #parties() {
    const rows = await this.store.rows(
      'SELECT domain, id AS relying_party_id, tenant_id FROM relying_parties',
    );
    const ids = new Map(rows.map(({ domain, ...party }) => [String(domain), party]));
    return Array.from({ length: RELYING_PARTIES }, (_, n) => ids.get(partyName(n)));
  }

  async #untilJudged() {
    const deadline = Date.now() + PATIENCE_MS;
    while ((await this.store.count('judgements WHERE done = 1')) < RELYING_PARTIES) {
      if (Date.now() > deadline) throw new Error('the relying parties were never judged');
      await pause(500);
    }
  }

  #note(change) {
    this.#notes = { ...this.#notes, ...change };
    writeFileSync(this.#file, JSON.stringify(this.#notes));
  }
}

function* usageDays(parties) {
  const today = Math.floor(Date.now() / DAY_MS);
  for (let day = today - DAYS + 1; day <= today; day += 1) {
    const date = new Date(day * DAY_MS);
    const month = date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
    const counts = { registrations: 20, authentications: 4000, users: 6000, enabled: 17_500 };
    for (const party of parties)
      yield { ...party, day, month, ...counts, disabled: 500, active_users: 3000, events: 4100 };
  }
}
