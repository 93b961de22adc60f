import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { SMALL } from '../entities/column-types.js';
import { column } from './table-parts.js';

/** The copy of `lockouts` of a deleted user. */
export class AddLockoutsToDeletions1764300002520 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.addColumn(
      'deletions',
      new TableColumn(column('lockouts', SMALL, { isNullable: true })),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('deletions', 'lockouts');
  }
}
