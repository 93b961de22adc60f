import { Table, type MigrationInterface, type QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** Whether a unit is stored, for a process that lost the answer to its commit. */
export class UnitOutcomes1764300000800 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { fixedBytes, flag } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'unit_outcomes',
        columns: [fixedBytes('id', 16, { isPrimary: true }), flag('is_stored')],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('unit_outcomes');
  }
}
