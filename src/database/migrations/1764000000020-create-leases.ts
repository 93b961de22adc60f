import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** Which instance does a job that only one instance may do at a time. */
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
