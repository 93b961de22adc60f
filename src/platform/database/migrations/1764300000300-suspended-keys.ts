import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** When a restore suspended an application key. */
export class AddSuspendedAt1764300000300 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { whole } = columnsFor(queryRunner);
    const column = new TableColumn(whole('suspended_at', { isNullable: true }));
    await queryRunner.addColumn('application_keys', column);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('application_keys', 'suspended_at');
  }
}
