import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { LARGE_BYTES } from '../entities/column-types.js';
import { column, columnFor } from './table-parts.js';

/** The last known state of models whose entries in a newer BLOB cannot be read. */
export class AddLastKnownMetadata1764300005200 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const lastKnown = column('last_known', LARGE_BYTES, { isNullable: true });
    await queryRunner.addColumn(
      'metadata_sources',
      new TableColumn(columnFor(queryRunner, lastKnown)),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('metadata_sources', 'last_known');
  }
}
