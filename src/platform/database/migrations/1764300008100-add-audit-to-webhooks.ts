import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { WHOLE } from '../entities/column-types.js';
import { column } from './table-parts.js';

/** The number of the last row of the audit trail that was delivered. */
export class AddAuditToWebhooks1764300008100 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const told = column('audit_told', WHOLE, { isNullable: true });
    await queryRunner.addColumn('webhooks', new TableColumn(told));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('webhooks', 'audit_told');
  }
}
