import { randomUUID } from 'node:crypto';

const MARIADB = process.env['TEST_MYSQL_URL'] || 'mysql://root@127.0.0.1:3306';
/** Items whose rows are inserted at once. */
const CHUNK = 1000;

const insertInto = (table, row) => `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES`;

/** The common part of both databases. */
class Store {
  /** @param url in the server's format */
  constructor(url) {
    this.url = url;
  }

  async one(sql) {
    return (await this.rows(sql))[0];
  }

  /** The IDs of the oldest relying party, by the names of the columns that refer to them. */
  relyingParty() {
    return this.one('SELECT id AS relying_party_id, tenant_id FROM relying_parties LIMIT 1');
  }

  /** @param rows any number of them, one after another */
  async insertAll(table, rows) {
    const chunk = [];
    for (const row of rows) {
      chunk.push(row);
      if (chunk.length === CHUNK) await this.insert(table, chunk.splice(0));
    }
    if (chunk.length > 0) await this.insert(table, chunk);
  }

  /** @param rowsOf returns the rows of the nth item by table, in insertion order */
  async fill(count, rowsOf) {
    for (let at = 0; at < count; at += CHUNK) {
      const tables = new Map();
      for (let n = at; n < Math.min(count, at + CHUNK); n += 1) {
        for (const [table, rows] of Object.entries(rowsOf(n))) {
          if (!tables.has(table)) tables.set(table, []);
          tables.get(table).push(...rows);
        }
      }
      for (const [table, rows] of tables) if (rows.length > 0) await this.insert(table, rows);
    }
  }
}

/** SQLite; opened on first use, since the server creates the file. */
class SqliteStore extends Store {
  name = 'SQLite';
  #open;

  async rows(sql) {
    return (await this.#database()).prepare(sql).all();
  }

  async run(sql) {
    (await this.#database()).exec(sql);
  }

  async insert(table, rows) {
    const database = await this.#database();
    const marks = Object.keys(rows[0]).map(() => '?');
    const insert = database.prepare(`${insertInto(table, rows[0])} (${marks.join(', ')})`);
    database.transaction(() => rows.forEach((row) => insert.run(Object.values(row))))();
  }

  async analyse() {}

  async close() {
    this.#open?.close();
    this.#open = undefined;
  }

  async #database() {
    const { default: Database } = await import('better-sqlite3');
    this.#open ??= new Database(this.url.slice('sqlite:'.length), { timeout: 10_000 });
    return this.#open;
  }
}

/** MariaDB or MySQL. */
class MysqlStore extends Store {
  name = 'MariaDB';
  #open;

  async rows(sql, params) {
    return (await (await this.#connection()).query(sql, params))[0];
  }

  async run(sql) {
    await this.rows(sql);
  }

  async insert(table, rows) {
    const values = rows.map((row) => Object.values(row));
    await this.rows(`${insertInto(table, rows[0])} ?`, [values]);
  }

  async analyse(...tables) {
    await this.run(`ANALYZE TABLE ${tables.join(', ')}`);
  }

  async close() {
    await (await this.#open)?.end();
    this.#open = undefined;
  }

  async #connection() {
    const { createConnection } = await import('mysql2/promise');
    this.#open ??= createConnection({ uri: this.url });
    return this.#open;
  }
}

/** The database of a server, for filling and inspecting it separately. */
export const openStore = (url) =>
  url.startsWith('sqlite:') ? new SqliteStore(url) : new MysqlStore(url);

/**
 * Creates a database for a load: SQLite in the server's folder, or a new one in MariaDB, which `remove`
 * drops.
 *
 * @param kind `sqlite` or `mariadb`
 */
export async function createStore(kind, { folder, mysql = MARIADB }) {
  if (kind === 'sqlite') {
    const store = openStore(`sqlite:${folder}/servicefido.sqlite`);
    return Object.assign(store, { remove: () => store.close() });
  }
  const name = `servicefido_load_${randomUUID().slice(0, 8)}`;
  const administration = openStore(mysql);
  await administration.run(`CREATE DATABASE ${name}`);
  const remove = async () => {
    await store.close();
    await administration.run(`DROP DATABASE ${name}`);
    await administration.close();
  };
  const store = openStore(`${mysql.replace(/\/$/, '')}/${name}`);
  return Object.assign(store, { remove });
}
