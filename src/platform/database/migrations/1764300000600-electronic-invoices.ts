import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** The electronic document of an invoice; `null` where there is none. */
export class AddInvoiceXml1764300000600 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { largeBytes } = columnsFor(queryRunner);
    await queryRunner.addColumn(
      'invoices',
      new TableColumn(largeBytes('xml', { isNullable: true })),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('invoices', 'xml');
  }
}
