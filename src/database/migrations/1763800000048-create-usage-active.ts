import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/**
 * Who registered or signed in during a month (yyyymm, UTC), so that each counts once; `since` is how far
 * events had been counted then. Rows of past months are deleted.
 */
export class CreateUsageActive1763800000048 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { fixedBytes, whole } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'usage_active',
        columns: [
          { name: 'month', type: 'integer', isPrimary: true },
          fixedBytes('relying_party_id', 16, { isPrimary: true }),
          fixedBytes('user_id', 16, { isPrimary: true }),
          whole('since'),
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('usage_active');
  }
}
