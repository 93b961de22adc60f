import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** `closed_at` is 0 while the tenant is open, so that a name is unique among the open ones only. */
export class CreateTenants1763700000001 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { fixedBytes, words, whole } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'tenants',
        columns: [
          fixedBytes('id', 16, { isPrimary: true }),
          words('name', 64),
          words('display_name', 255),
          whole('created_at'),
          whole('changed_at'),
          whole('closed_at', { default: 0 }),
        ],
        uniques: [{ name: 'uq_tenants_name', columnNames: ['name', 'closed_at'] }],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('tenants');
  }
}
