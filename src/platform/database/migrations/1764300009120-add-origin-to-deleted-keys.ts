import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { words } from '../entities/column-types.js';
import { column, columnFor } from './table-parts.js';

/** The copy of `origin` of a deleted key. */
export class AddOriginToDeletedKeys1764300009120 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const origin = column('origin', words(16), { isNullable: true });
    await queryRunner.addColumn('deleted_keys', new TableColumn(columnFor(queryRunner, origin)));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('deleted_keys', 'origin');
  }
}
