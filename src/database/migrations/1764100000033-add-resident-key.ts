import { TableColumn } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** Whether a credential is discoverable, as reported by the browser. */
export class AddResidentKey1764100000033 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { flag } = columnsFor(queryRunner);
    const column = flag('resident_key', { isNullable: true });
    await queryRunner.addColumn('credentials', new TableColumn(column));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('credentials', 'resident_key');
  }
}
