import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** Whether an account of the console must have a second factor. */
export class AddNeedsKey1764300000701 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { flag } = columnsFor(queryRunner);
    const column = new TableColumn(flag('needs_key', { default: 0 }));
    await queryRunner.addColumn('console_accounts', column);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('console_accounts', 'needs_key');
  }
}
