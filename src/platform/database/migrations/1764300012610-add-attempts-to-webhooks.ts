import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { TEXT } from '../entities/column-types.js';
import { column, columnFor } from './table-parts.js';

/** The last attempts to deliver a message. */
export class AddAttemptsToWebhooks1764300012610 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const attempts = column('attempts', TEXT, { isNullable: true });
    await queryRunner.addColumn('webhooks', new TableColumn(columnFor(queryRunner, attempts)));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('webhooks', 'attempts');
  }
}
