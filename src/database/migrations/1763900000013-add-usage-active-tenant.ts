import { TableColumn } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** The tenant of an active user. Older rows have none, and are deleted when their month is over. */
export class AddUsageActiveTenant1763900000013 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { fixedBytes } = columnsFor(queryRunner);
    const tenantId = fixedBytes('tenant_id', 16, { isNullable: true });
    await queryRunner.addColumn('usage_active', new TableColumn(tenantId));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('usage_active', 'tenant_id');
  }
}
