import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import type { AuditEntry } from '../../src/audit/audit-entry.js';
import type { AuditRow } from '../../src/audit/audit-row.entity.js';
import { APPEND_ROW, ROWS_AFTER } from '../../src/audit/audit.statements.js';
import { AuditSealing } from '../../src/audit/chain/audit-sealing.js';
import { AuditVerifier } from '../../src/audit/chain/audit-verifier.js';
import type { ChainHead } from '../../src/audit/chain/chain.js';
import { AuditKey, HEAD_RECORD } from '../../src/audit/chain/audit-head.js';
import { readAuditKey } from '../../src/platform/config/files/key-files.js';
import { dataSourceOptions } from '../../src/platform/database/data-source.js';
import { Database } from '../../src/platform/database/database.js';
import { MIGRATIONS } from '../../src/platform/database/migrations/index.js';
import type { SqlValue } from '../../src/platform/database/commit/unit.js';
import { plainText } from '../../src/platform/pages/languages/languages.js';
import { adminClient } from '../support/client.js';
import { createDatabase, type DatabaseName, type TestDatabase } from '../support/databases.js';
import { createServerDatabase } from '../support/server-database.js';
import { TestServer } from '../support/test-server.js';

/** A row of the trail, without a target. */
export const ENTRY: AuditEntry = {
  account: 'anna',
  role: 'helpdesk',
  address: '192.0.2.1',
  requestId: 'x-1',
  action: 'credential.disable',
  result: 'ok',
};

/** Instances over one database, and the files of two keys: `one` and `two`. */
export class SealedTrail {
  private readonly servers: TestServer[] = [];
  private readonly folder = mkdtempSync(join(tmpdir(), 'servicefido-test-'));

  private constructor(private readonly database: TestDatabase) {
    for (const name of ['one', 'two']) writeFileSync(this.fileOf(name), name.repeat(20));
  }

  /** Over a database with tables, whose trail has no seal. */
  static async on(name: DatabaseName): Promise<SealedTrail> {
    return new SealedTrail(await createServerDatabase(name));
  }

  static async onEmptyDatabase(name: DatabaseName): Promise<SealedTrail> {
    return new SealedTrail(await createDatabase(name));
  }

  /** Runs the first migrations, and nothing else: a start that is killed then leaves such a database. */
  async makeTables(count: number): Promise<void> {
    const migrations = MIGRATIONS.slice(0, count);
    const options = { ...dataSourceOptions(this.database.url), migrations };
    const source = await new DataSource(options).initialize();
    await source.runMigrations({ transaction: 'each' });
    await source.destroy();
  }

  async remove(): Promise<void> {
    for (const server of this.servers.splice(0)) await server.stop();
    await this.database.remove();
    rmSync(this.folder, { recursive: true });
  }

  private fileOf(name: string): string {
    return join(this.folder, `${name}.key`);
  }

  keyOf(name: string): AuditKey {
    return new AuditKey(readAuditKey({ auditKeyFile: this.fileOf(name) }) ?? Buffer.alloc(0));
  }

  /** An instance with a key or without. */
  async start(key?: string): Promise<TestServer> {
    const options = key === undefined ? {} : { auditKeyFile: this.fileOf(key) };
    const server = await TestServer.start({ database: this.database, options });
    this.servers.push(server);
    return server;
  }

  /** An instance whose trail an administrator has sealed with its key. */
  async startSealed(key: string): Promise<TestServer> {
    const server = await this.start(key);
    await begin(server);
    return server;
  }

  async stop(server: TestServer): Promise<void> {
    this.servers.splice(this.servers.indexOf(server), 1);
    await server.stop();
  }
}

/** What `servicefido audit seal` does; returns the sealing row. */
export async function begin(server: TestServer): Promise<ChainHead> {
  const begun = await server.get(AuditSealing).begin();
  if (!begun) throw new Error('The trail is sealed already.');
  return begun.row;
}

/** A change that leaves a row. */
export const addTenant = (server: TestServer, tenant: string) =>
  adminClient(server.url).post('/tenantapi/tenants', { tenant });

/** The verdict, with the fault in English. */
export async function verify(server: TestServer, expected?: Buffer) {
  const { fault, ...verdict } = await server.get(AuditVerifier).verify(expected);
  return { ...verdict, ...(fault && { fault: plainText('en', fault) }) };
}

export const readTrail = (server: TestServer) =>
  server.get(Database).query(ROWS_AFTER, { after: 0, limit: 1000 });

/** Writes to the database past the server. */
export const run = (server: TestServer, sql: string, ...params: SqlValue[]) =>
  server.get(Database).commit([{ sql, params, mustChange: true }]);

export const setRecord = (server: TestServer, value: string) =>
  run(server, 'UPDATE secrets SET value = ? WHERE name = ?', value, HEAD_RECORD);

export function insertRow(server: TestServer, row: AuditRow): Promise<boolean> {
  return server.get(Database).commit([APPEND_ROW.mustChange(row)]);
}
