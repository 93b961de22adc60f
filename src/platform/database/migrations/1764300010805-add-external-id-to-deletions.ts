import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { bytes } from '../entities/column-types.js';
import { column, columnFor } from './table-parts.js';

/** The copy of `external_id` of a deleted user. */
export class AddExternalIdToDeletions1764300010805 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const added = column('external_id', bytes(255), { isNullable: true });
    await queryRunner.addColumn('deletions', new TableColumn(columnFor(queryRunner, added)));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('deletions', 'external_id');
  }
}
