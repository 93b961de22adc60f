import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** The version of a webhook, by which two administrators do not overwrite each other. */
export class AddChangedAtToWebhooks1764300000500 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { whole } = columnsFor(queryRunner);
    const column = new TableColumn(whole('changed_at', { default: 0 }));
    await queryRunner.addColumn('webhooks', column);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('webhooks', 'changed_at');
  }
}
