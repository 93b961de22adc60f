import { randomUUID } from 'node:crypto';
import { createConnection } from 'mysql2/promise';

/** Users of one statement. */
const CHUNK = 50_000;
const SETTINGS = ['unique_checks = 0', 'foreign_key_checks = 0'];

/** The name of the nth user of the load. */
export const nameOf = (n) => `user-${String(n).padStart(7, '0')}@load.example`;

/** A database for the load, filled by MariaDB's own sequences (MySQL has none). */
export class LoadDatabase {
  #connection;
  #name;

  static async create(server) {
    const database = new LoadDatabase();
    database.#name = `servicefido_load_${randomUUID().slice(0, 8)}`;
    database.#connection = await createConnection({ uri: server });
    await database.#connection.query(`CREATE DATABASE ${database.#name}`);
    await database.#connection.query(`USE ${database.#name}`);
    database.url = `${server.replace(/\/$/, '')}/${database.#name}`;
    return database;
  }

  /** So many users with two credentials each, whose keys nobody has. */
  async fill(users) {
    const sql = (text) => this.#connection.query(text);
    for (const setting of SETTINGS) await sql(`SET ${setting}`);
    await sql('SELECT id, tenant_id INTO @rp, @tenant FROM relying_parties LIMIT 1');
    for (let from = 1; from <= users; from += CHUNK) {
      const to = Math.min(users, from + CHUNK - 1);
      await sql(usersSql(from, to));
      await sql(credentialsSql(2 * from - 1, 2 * to));
    }
    await sql('ANALYZE TABLE users, credentials');
  }

  /** Begins a transaction that reads credentials, as a dump does, and holds their table until it is ended. */
  async beginLongRead() {
    const reader = await createConnection({ uri: this.url });
    await reader.query('START TRANSACTION');
    await reader.query('SELECT id FROM credentials LIMIT 1');
    return { end: () => reader.end() };
  }

  async hasTable(name) {
    const [rows] = await this.#connection.query('SHOW TABLES LIKE ?', [name]);
    return rows.length > 0;
  }

  async remove() {
    await this.#connection.query(`DROP DATABASE ${this.#name}`);
    await this.#connection.end();
  }
}

const usersSql = (from, to) => `
  INSERT INTO users
    (id, tenant_id, relying_party_id, username, display_name, user_handle, created_at)
  SELECT UNHEX(LPAD(HEX(seq), 32, '0')), @tenant, @rp,
    CONCAT('user-', LPAD(seq, 7, '0'), '@load.example'), CONCAT('User ', seq),
    UNHEX(SHA2(seq, 256)), 1795000000000 + seq
  FROM seq_${from}_to_${to}`;

const credentialsSql = (from, to) => `
  INSERT INTO credentials
    (id, tenant_id, relying_party_id, user_id, credential_id, credential_hash, public_key, algorithm,
     sign_count, aaguid, device_name, keypair, transports, attestation_format, attestation_type,
     attestation_trusted, user_verified, backup_eligible, backed_up, enabled, registered_at,
     last_used_at, last_ceremony)
  SELECT UNHEX(LPAD(HEX(seq), 32, '0')), @tenant, @rp, UNHEX(LPAD(HEX((seq + 1) DIV 2), 32, '0')),
    UNHEX(SHA2(CONCAT('c', seq), 256)), UNHEX(SHA2(UNHEX(SHA2(CONCAT('c', seq), 256)), 256)),
    REPEAT('k', 77), -7, 0, UNHEX(REPEAT('0', 32)), IF(seq % 2, 'Security key', 'Security key (2)'),
    NULL, 'usb', 'none', 'none', 0, 1, 0, 0, 1, 1795000000000 + seq, NULL, UNHEX(REPEAT('0', 32))
  FROM seq_${from}_to_${to}`;
