import { TableColumn, TableIndex } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

const TABLE = 'invoices';

/**
 * Statements get a series of numbers of their own beside invoices and credit notes, and each is for one
 * tenant. Older ones, without a tenant, show several.
 */
export class TellInvoicesApart1764000000070 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { words, fixedBytes, whole } = columnsFor(queryRunner);
    await queryRunner.addColumns(
      TABLE,
      [
        words('series', 10, { default: "'invoice'" }),
        words('kind', 12, { default: "'invoice'" }),
        fixedBytes('tenant_id', 16, { isNullable: true }),
        whole('cancels', { isNullable: true }),
      ].map((column) => new TableColumn(column)),
    );
    await setKey(queryRunner, ['number', 'series']);
    const columnNames = ['tenant_id', 'date'];
    await queryRunner.createIndex(
      TABLE,
      new TableIndex({ name: 'ix_invoices_tenant', columnNames }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropIndex(TABLE, 'ix_invoices_tenant');
    await queryRunner.query(`DELETE FROM ${TABLE} WHERE series <> 'invoice'`);
    await setKey(queryRunner, ['number']);
    await queryRunner.dropColumns(TABLE, ['series', 'kind', 'tenant_id', 'cancels']);
  }
}

async function setKey(queryRunner: QueryRunner, names: readonly string[]): Promise<void> {
  if (queryRunner.connection.options.type === 'mysql') {
    // Both in one statement, since a cluster does not allow a table without a primary key.
    const columns = names.join(', ');
    await queryRunner.query(`ALTER TABLE ${TABLE} DROP PRIMARY KEY, ADD PRIMARY KEY (${columns})`);
    return;
  }
  await queryRunner.dropPrimaryKey(TABLE);
  await queryRunner.createPrimaryKey(TABLE, [...names]);
}
