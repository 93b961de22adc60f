import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** BLOBs by their SHA-256, compressed, in parts small enough for one statement on any server. */
export class CreateMetadataChunks1763800000012 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { fixedBytes, largeBytes, whole } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'metadata_chunks',
        columns: [
          fixedBytes('digest', 32, { isPrimary: true }),
          whole('part', { isPrimary: true }),
          whole('stored_at'),
          largeBytes('bytes'),
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('metadata_chunks');
  }
}
