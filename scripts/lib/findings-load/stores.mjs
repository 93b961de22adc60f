import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { OwnDatabase } from '../own-database.mjs';

/** Keys of one transaction. */
const CHUNK = 1000;
const RELYING_PARTY = 'SELECT id, tenant_id FROM relying_parties LIMIT 1';
/** What the evaluation does not look at. */
const USER = { display_name: 'Somebody', created_at: 1_795_000_000_000 };
const KEY = {
  public_key: Buffer.alloc(77, 'k'),
  algorithm: -7,
  sign_count: 0,
  device_name: 'Security key',
  transports: 'usb',
  user_verified: 1,
  backup_eligible: 0,
  backed_up: 0,
  enabled: 1,
  last_ceremony: Buffer.alloc(16),
};
const PROVED = { proof: Buffer.alloc(180, 'p') };

/** All rows of some keys, by table, in the order in which they may be stored. */
function tablesOf(population, { id, tenant_id }, from, to) {
  const ours = { relying_party_id: id, tenant_id };
  const made = Array.from({ length: to - from }, (_, i) => population.rows(from + i));
  return {
    users: made.map(({ user }) => ({ ...ours, ...USER, ...user })),
    credentials: made.map(({ user, key }) => ({ ...ours, ...KEY, ...key, user_id: user.id })),
    attestations: made.flatMap(({ proved }) => (proved ? [{ ...ours, ...PROVED, ...proved }] : [])),
  };
}

const insertInto = (table, row) => `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES`;

async function fillBy(store, population, keys) {
  const rp = await store.one(RELYING_PARTY);
  const shared = population.authorities.map(([hash, certificate]) => ({ hash, certificate }));
  await store.insert({ attestation_authorities: shared });
  for (let at = 0; at < keys; at += CHUNK) {
    await store.insert(tablesOf(population, rp, at, Math.min(keys, at + CHUNK)));
  }
  await store.run('DELETE FROM judgements');
}

/** What the findings' job has come to, as the database has it. */
const WATCHED = {
  findings: 'SELECT COUNT(*) AS value FROM findings',
  told: "SELECT COUNT(*) AS value FROM events WHERE kind = 'finding'",
  undone: 'SELECT COUNT(*) AS value FROM judgements WHERE done = 0',
  judged: 'SELECT COUNT(*) AS value FROM judgements',
  position: 'SELECT HEX(position) AS value FROM judgements LIMIT 1',
};

class Store {
  /** @param what one of WATCHED */
  async watch(what) {
    return (await this.one(WATCHED[what]))?.value;
  }
}

/** SQLite in a folder; it is filled while no server has it open, and read beside it. */
export class SqliteStore extends Store {
  name = 'SQLite';
  #open;

  /** @param folder of the server's data */
  constructor(folder) {
    super();
    this.file = join(folder, 'servicefido.sqlite');
    this.url = `sqlite:${this.file}`;
  }

  get #database() {
    this.#open ??= new BetterSqlite3(this.file);
    return this.#open;
  }

  one(sql) {
    return this.#database.prepare(sql).get();
  }

  run(sql) {
    this.#database.exec(sql);
  }

  insert(tables) {
    this.#database.transaction(() => {
      for (const [table, [first, ...others]] of Object.entries(tables)) {
        if (!first) continue;
        const marks = Object.keys(first).map(() => '?');
        const insert = this.#database.prepare(`${insertInto(table, first)} (${marks.join(', ')})`);
        for (const row of [first, ...others]) insert.run(Object.values(row));
      }
    })();
  }

  async fill(population, keys) {
    await fillBy(this, population, keys);
  }

  remove() {
    this.#open?.close();
  }
}

/** A database of its own in MariaDB. */
export class MariaDbStore extends Store {
  name = 'MariaDB';
  #own;

  static async create(server) {
    const store = new MariaDbStore();
    store.#own = await OwnDatabase.create(server, 'findings');
    store.url = store.#own.url;
    return store;
  }

  async one(sql) {
    const [[row]] = await this.#own.connection.query(sql);
    return row;
  }

  async run(sql) {
    await this.#own.connection.query(sql);
  }

  async insert(tables) {
    for (const [table, rows] of Object.entries(tables)) {
      if (rows.length === 0) continue;
      const values = rows.map((row) => Object.values(row));
      await this.#own.connection.query(`${insertInto(table, rows[0])} ?`, [values]);
    }
  }

  async fill(population, keys) {
    await fillBy(this, population, keys);
    await this.run('ANALYZE TABLE users, credentials, attestations');
  }

  async remove() {
    await this.#own.drop();
  }
}
