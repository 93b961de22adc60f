import { TableColumn } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** The tenant of an uploaded list. Older lists have none; they are kept for an hour only. */
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
