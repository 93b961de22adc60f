import { randomBytes } from 'node:crypto';
import { RP_ID } from './client/authenticator.mjs';

/** Rows written by one statement or transaction. */
const BATCH = 2000;

const USER_COLUMNS = [
  'id',
  'tenant_id',
  'relying_party_id',
  'username',
  'display_name',
  'user_handle',
  'created_at',
];
const CREDENTIAL_COLUMNS = [
  'id',
  'tenant_id',
  'relying_party_id',
  'user_id',
  'credential_id',
  'credential_hash',
  'public_key',
  'algorithm',
  'sign_count',
  'aaguid',
  'device_name',
  'transports',
  'attestation_format',
  'attestation_type',
  'attestation_trusted',
  'user_verified',
  'backup_eligible',
  'backed_up',
  'enabled',
  'registered_at',
  'last_ceremony',
];

/**
 * Fills the database of a running server with users who never sign in, one credential each, so that
 * the others are looked for among many.
 *
 * @param uri `sqlite:FILE` or `mysql://…`
 */
export async function fill(uri, users) {
  const database = uri.startsWith('sqlite:') ? await sqlite(uri) : await mysql(uri);
  try {
    const [rp] = await database.read(
      `SELECT id, tenant_id AS tenant FROM relying_parties WHERE domain = '${RP_ID}' AND closed_at = 0`,
    );
    for (let done = 0; done < users; done += BATCH) {
      const count = Math.min(BATCH, users - done);
      const people = Array.from({ length: count }, (_, n) => person(rp, done + n));
      await database.write('users', USER_COLUMNS, people.map(({ user }) => user)); // prettier-ignore
      await database.write('credentials', CREDENTIAL_COLUMNS, people.map(({ key }) => key)); // prettier-ignore
    }
  } finally {
    await database.close();
  }
}

/** Like the service's own, which begin with the time: rows lie in the order in which they came. */
function newId(at) {
  const id = randomBytes(16);
  id.writeUIntBE(at, 0, 6);
  return id;
}

function person({ id, tenant }, serial) {
  const now = Date.now();
  const userId = newId(now);
  const name = `filler-${serial}@example.com`;
  const user = [userId, tenant, id, Buffer.from(name), name, randomBytes(32), now];
  const model = ['Security key', '[]', 'none', 'none'];
  const flags = [0, 1, 0, 0, 1];
  const names = [randomBytes(16), randomBytes(32), randomBytes(77)];
  const facts = [-7, 1, Buffer.alloc(16), ...model, ...flags, now, Buffer.alloc(16)];
  return { user, key: [newId(now), tenant, id, userId, ...names, ...facts] };
}

async function sqlite(uri) {
  const { default: Database } = await import('better-sqlite3');
  const database = new Database(uri.slice('sqlite:'.length), { timeout: 10_000 });
  const statements = new Map();
  const insert = (table, columns) => {
    const places = columns.map(() => '?').join(', ');
    const sql = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${places})`;
    if (!statements.has(table)) statements.set(table, database.prepare(sql));
    return statements.get(table);
  };
  return {
    read: (sql) => database.prepare(sql).all(),
    write: database.transaction((table, columns, rows) => {
      for (const row of rows) insert(table, columns).run(row);
    }),
    close: () => database.close(),
  };
}

async function mysql(uri) {
  const { createConnection } = await import('mysql2/promise');
  const connection = await createConnection({ uri });
  return {
    read: async (sql) => (await connection.query(sql))[0],
    write: (table, columns, rows) =>
      connection.query(`INSERT INTO ${table} (${columns.join(', ')}) VALUES ?`, [rows]),
    close: () => connection.end(),
  };
}
