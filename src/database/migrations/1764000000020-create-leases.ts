import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** Which of the instances does a job that is for one of them. */
export class CreateLeases1764000000020 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { whole, words } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'leases',
        columns: [words('name', 32, { isPrimary: true }), words('holder', 32), whole('beat')],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('leases');
  }
}
