import { TableColumn } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** Of which tenant an uploaded list is. Lists that are older have none, and live for an hour. */
export class AddUploadTenant1763900000011 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { fixedBytes } = columnsFor(queryRunner);
    const tenantId = fixedBytes('tenant_id', 16, { isNullable: true });
    await queryRunner.addColumn('uploads', new TableColumn(tenantId));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('uploads', 'tenant_id');
  }
}
