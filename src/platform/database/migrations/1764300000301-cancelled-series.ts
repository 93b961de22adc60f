import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** The series of the invoice that a credit note cancels; `null` for the first one, `invoice`. */
export class AddCancelsSeries1764300000301 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { words } = columnsFor(queryRunner);
    const column = new TableColumn(words('cancels_series', 10, { isNullable: true }));
    await queryRunner.addColumn('invoices', column);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('invoices', 'cancels_series');
  }
}
