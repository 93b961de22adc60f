import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** The version of an account of the console. */
export class AddChangedAtToAccounts1764300000501 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { whole } = columnsFor(queryRunner);
    const column = new TableColumn(whole('changed_at', { default: 0 }));
    await queryRunner.addColumn('console_accounts', column);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('console_accounts', 'changed_at');
  }
}
