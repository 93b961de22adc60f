import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { WHOLE } from '../entities/column-types.js';
import { column } from './table-parts.js';

/** The copy of `added_at` of a deleted key. */
export class AddAddedAtToDeletedKeys1764300013150 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.addColumn(
      'deleted_keys',
      new TableColumn(column('added_at', WHOLE, { isNullable: true })),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('deleted_keys', 'added_at');
  }
}
