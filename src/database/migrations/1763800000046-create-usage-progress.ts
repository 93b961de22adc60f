import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** One row: how far events are counted. It moves by compare-and-set, in the same unit as the counts. */
export class CreateUsageProgress1763800000046 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { whole } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'usage_progress',
        columns: [{ name: 'id', type: 'integer', isPrimary: true }, whole('upto')],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('usage_progress');
  }
}
