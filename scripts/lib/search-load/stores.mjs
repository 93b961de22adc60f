import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { OwnDatabase } from '../own-database.mjs';
import { rowsOf } from './population.mjs';

/** Rows of one statement. */
const CHUNK = 1000;
const FORGET = 'DELETE FROM search_progress';
const RELYING_PARTY = 'SELECT id, tenant_id FROM relying_parties LIMIT 1';
const INSERT = `INSERT INTO users
  (id, username, display_name, user_handle, created_at, relying_party_id, tenant_id) VALUES`;

/** SQLite in a folder; it is filled while no server has it open. */
export class SqliteStore {
  name = 'SQLite';

  /** @param folder of the server's data */
  constructor(folder) {
    this.file = join(folder, 'servicefido.sqlite');
    this.url = `sqlite:${this.file}`;
  }

  async fill(users) {
    const database = new BetterSqlite3(this.file);
    const { id, tenant_id: tenant } = database.prepare(RELYING_PARTY).get();
    const insert = database.prepare(`${INSERT} (?, ?, ?, ?, ?, ?, ?)`);
    const insertAll = database.transaction((rows) => {
      for (const row of rows) insert.run(...row, id, tenant);
    });
    for (let at = 0; at < users; at += CHUNK) insertAll(rowsOf(at, Math.min(users, at + CHUNK)));
    database.exec(FORGET);
    database.close();
  }

  async remove() {}
}

/** A database of its own in MariaDB. */
export class MariaDbStore {
  name = 'MariaDB';
  #own;

  static async create(server) {
    const store = new MariaDbStore();
    store.#own = await OwnDatabase.create(server, 'search');
    store.url = store.#own.url;
    return store;
  }

  async fill(users) {
    const [[{ id, tenant_id: tenant }]] = await this.#own.connection.query(RELYING_PARTY);
    for (let at = 0; at < users; at += CHUNK) {
      const rows = rowsOf(at, Math.min(users, at + CHUNK)).map((row) => [...row, id, tenant]);
      await this.#own.connection.query(`${INSERT} ?`, [rows]);
    }
    await this.#own.connection.query(FORGET);
    await this.#own.connection.query('ANALYZE TABLE users');
  }

  async remove() {
    await this.#own.drop();
  }
}
