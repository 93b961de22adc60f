import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** Uploaded lists of user names, kept for an hour: to look at, and to delete the users on them. */
export class CreateUploads1763800000030 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { bytes, fixedBytes, words, whole } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'uploads',
        columns: [
          fixedBytes('id', 16, { isPrimary: true }),
          bytes('account', 255),
          fixedBytes('relying_party_id', 16),
          words('state', 10),
          whole('expires_at'),
        ],
        indices: [{ name: 'ix_uploads_expiry', columnNames: ['expires_at'] }],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('uploads');
  }
}
