import { randomUUID } from 'node:crypto';

const MARIADB = process.env['TEST_MYSQL_URL'] || 'mysql://root@127.0.0.1:3306';
const REDIS = process.env['TEST_REDIS_URL'] || 'redis://127.0.0.1:6379';
/** Items whose rows are inserted at once. */
const CHUNK = 1000;

/** The database of a server, for filling and inspecting it separately; opened on first use. */
export class Store {
  #source;

  /** @param url in the server's format: `sqlite:FILE` or `mysql://…` */
  constructor(url) {
    this.url = url;
    this.name = url.startsWith('sqlite:') ? 'SQLite' : 'MariaDB';
  }

  /** The server's options for this database: with MariaDB, pending ceremonies are in Redis. */
  get options() {
    const sessions = this.name === 'MariaDB' ? ['--sessions', REDIS] : [];
    return ['--db', this.url, ...sessions];
  }

  /** All statements use one connection, so settings of the session and transactions apply to the next ones. */
  async rows(sql, params) {
    this.#source ??= open(this.url);
    return (await this.#source).query(sql, params);
  }

  async run(sql) {
    await this.rows(sql);
  }

  async one(sql) {
    return (await this.rows(sql))[0];
  }

  /** @param from a table, and a condition if not all of its rows count */
  async count(from) {
    return Number((await this.one(`SELECT COUNT(*) AS n FROM ${from}`)).n);
  }

  /** The IDs of the oldest relying party, by the names of the columns that refer to them. */
  relyingParty() {
    return this.one('SELECT id AS relying_party_id, tenant_id FROM relying_parties LIMIT 1');
  }

  async insert(table, rows) {
    const columns = Object.keys(rows[0]);
    const marks = `(${columns.map(() => '?').join(', ')})`;
    const values = rows.map(() => marks).join(', ');
    const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${values}`;
    const params = rows.flatMap((row) => Object.values(row));
    await this.rows(sql, params);
  }

  /** @param rowsOf returns the rows of the nth item by table, in insertion order */
  async fill(count, rowsOf) {
    for (let at = 0; at < count; at += CHUNK) {
      const tables = {};
      for (let n = at; n < Math.min(count, at + CHUNK); n += 1) {
        for (const [table, rows] of Object.entries(rowsOf(n))) {
          (tables[table] ??= []).push(...rows);
        }
      }
      for (const [table, rows] of Object.entries(tables)) {
        for (let first = 0; first < rows.length; first += CHUNK)
          await this.insert(table, rows.slice(first, first + CHUNK));
      }
    }
  }

  async analyse(...tables) {
    if (this.name === 'MariaDB') await this.run(`ANALYZE TABLE ${tables.join(', ')}`);
  }

  async close() {
    await (await this.#source)?.destroy();
    this.#source = undefined;
  }
}

async function open(url) {
  const { DataSource } = await import('typeorm');
  const options = url.startsWith('sqlite:')
    ? { type: 'better-sqlite3', database: url.slice('sqlite:'.length), timeout: 10_000 }
    : { type: 'mysql', url, poolSize: 1 };
  return new DataSource(options).initialize();
}

/**
 * Creates a database for a load: SQLite in the server's folder, or a new one in MariaDB, which `remove`
 * drops.
 *
 * @param kind `sqlite` or `mariadb`
 */
export async function createStore(kind, { folder, mysql = MARIADB }) {
  if (kind === 'sqlite') {
    const store = new Store(`sqlite:${folder}/servicefido.sqlite`);
    return Object.assign(store, { remove: () => store.close() });
  }
  const name = `servicefido_load_${randomUUID().slice(0, 8)}`;
  const administration = new Store(mysql);
  await administration.run(`CREATE DATABASE ${name}`);
  const store = new Store(`${mysql.replace(/\/$/, '')}/${name}`);
  const remove = async () => {
    await store.close();
    await administration.run(`DROP DATABASE ${name}`);
    await administration.close();
  };
  return Object.assign(store, { remove });
}
