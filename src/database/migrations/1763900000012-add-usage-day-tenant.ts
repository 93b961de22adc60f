import { TableColumn } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** The tenant of a day's usage. The counting job fills it in for older rows. */
export class AddUsageDayTenant1763900000012 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { fixedBytes } = columnsFor(queryRunner);
    const tenantId = fixedBytes('tenant_id', 16, { isNullable: true });
    await queryRunner.addColumn('usage_days', new TableColumn(tenantId));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('usage_days', 'tenant_id');
  }
}
