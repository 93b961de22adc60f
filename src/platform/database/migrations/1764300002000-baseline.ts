import { Table, type MigrationInterface, type QueryRunner } from 'typeorm';
import { administrationTables } from './baseline/administration.js';
import { credentialsTables } from './baseline/credentials.js';
import { ledgerTables } from './baseline/ledger.js';
import { serverTables } from './baseline/server.js';
import { tenancyTables } from './baseline/tenancy.js';
import { trustTables } from './baseline/trust.js';
import { webhooksTables } from './baseline/webhooks.js';
import { columnFor, isMysql } from './table-parts.js';

/**
 * All tables of a new database. Columns have the order in which they were once appended.
 *
 * A database of an earlier commit receives what it lacks: whole tables, and in others columns and indexes. If the
 * process is killed, a part of them remains; the next one adds the rest.
 */
export class Baseline1764300002000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const tables = tablesFor(queryRunner);
    const present = await queryRunner.getTables(tables.map(({ name }) => name));
    for (const table of tables) {
      const found = present.find(({ name }) => name.split('.').at(-1) === table.name);
      if (found) await addWhatIsMissing(queryRunner, found, table);
      else await queryRunner.createTable(table);
    }
    await queryRunner.query(
      `INSERT INTO directory_version (id, version)
         SELECT 1, 0 FROM (SELECT 1) AS one WHERE NOT EXISTS (SELECT * FROM directory_version)`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const table of tablesFor(queryRunner).reverse()) await queryRunner.dropTable(table);
  }
}

async function addWhatIsMissing(queryRunner: QueryRunner, found: Table, wanted: Table) {
  const columns = wanted.columns.filter(({ name }) => !found.findColumnByName(name));
  if (columns.length > 0) await queryRunner.addColumns(found, columns);
  const names = found.indices.map(({ name }) => name);
  for (const index of wanted.indices) {
    if (!names.includes(index.name)) await queryRunner.createIndex(found, index);
  }
}

/** Each table follows those that its foreign keys reference. */
function tablesFor(queryRunner: QueryRunner): Table[] {
  return [
    ...serverTables,
    ...tenancyTables,
    ...credentialsTables,
    ...ledgerTables(isMysql(queryRunner)),
    ...trustTables,
    ...administrationTables,
    ...webhooksTables,
  ].map(({ columns = [], ...table }) => {
    return new Table({ ...table, columns: columns.map((one) => columnFor(queryRunner, one)) });
  });
}
