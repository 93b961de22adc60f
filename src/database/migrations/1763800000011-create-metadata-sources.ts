import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** Where metadata comes from, which BLOB was the last good one, and when to ask again. */
export class CreateMetadataSources1763800000011 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { fixedBytes, words, text, whole } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'metadata_sources',
        columns: [
          fixedBytes('id', 16, { isPrimary: true }),
          text('source'),
          fixedBytes('digest', 32),
          whole('no'),
          whole('next_update'),
          whole('taken_at'),
          words('etag', 255),
          whole('due_at'),
          whole('checked_at'),
          whole('failures'),
          words('error', 255),
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('metadata_sources');
  }
}
