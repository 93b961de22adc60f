import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { administrationTables } from './baseline/administration.js';
import { credentialsTables } from './baseline/credentials.js';
import { ledgerTables } from './baseline/ledger.js';
import { serverTables } from './baseline/server.js';
import { tenancyTables } from './baseline/tenancy.js';
import { trustTables } from './baseline/trust.js';
import { webhooksTables } from './baseline/webhooks.js';
import { columnsFor } from './columns.js';

/** All tables of a new database. Columns have the order in which they were once appended. */
export class Baseline1764300000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const table of tablesFor(queryRunner)) await queryRunner.createTable(table);
    // A process that was killed before the migration was recorded may have stored the row.
    await queryRunner.query(
      `INSERT INTO directory_version (id, version)
         SELECT 1, 0 FROM (SELECT 1) AS one WHERE NOT EXISTS (SELECT * FROM directory_version)`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of tablesFor(queryRunner).reverse()) await queryRunner.dropTable(table);
  }
}

/** Each table follows those that its foreign keys reference. */
function tablesFor(queryRunner: QueryRunner): Table[] {
  const columns = columnsFor(queryRunner);
  return [
    ...serverTables(columns),
    ...tenancyTables(columns),
    ...credentialsTables(columns),
    ...ledgerTables(columns),
    ...trustTables(columns),
    ...administrationTables(columns),
    ...webhooksTables(columns),
  ].map((options) => new Table(options));
}
