import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { words } from '../entities/column-types.js';
import { column, columnFor } from './table-parts.js';

/** The form of the messages. */
export class AddFormatToWebhooks1764300008200 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const format = column('format', words(16), { isNullable: true });
    await queryRunner.addColumn('webhooks', new TableColumn(columnFor(queryRunner, format)));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('webhooks', 'format');
  }
}
