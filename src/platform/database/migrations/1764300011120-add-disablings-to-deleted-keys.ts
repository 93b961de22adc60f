import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { SMALL } from '../entities/column-types.js';
import { column } from './table-parts.js';

/** The copy of `disablings` of a deleted key. */
export class AddDisablingsToDeletedKeys1764300011120 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.addColumn(
      'deleted_keys',
      new TableColumn(column('disablings', SMALL, { isNullable: true })),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('deleted_keys', 'disablings');
  }
}
