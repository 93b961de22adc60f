import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** SHA-256 of the electronic document of an invoice. */
export class AddInvoiceXmlDigest1764300000601 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { fixedBytes } = columnsFor(queryRunner);
    const column = new TableColumn(fixedBytes('xml_digest', 32, { isNullable: true }));
    await queryRunner.addColumn('invoices', column);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('invoices', 'xml_digest');
  }
}
