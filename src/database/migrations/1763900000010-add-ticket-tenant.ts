import { TableColumn } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** The tenant of a ticket. Instances of the previous version leave it empty while they still run. */
export class AddTicketTenant1763900000010 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { fixedBytes } = columnsFor(queryRunner);
    const tenantId = fixedBytes('tenant_id', 16, { isNullable: true });
    await queryRunner.addColumn('tickets', new TableColumn(tenantId));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('tickets', 'tenant_id');
  }
}
