import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { SMALL } from '../entities/column-types.js';
import { column } from './table-parts.js';

/** How often the key was disabled, or restored after a deletion. */
export class AddDisablingsToCredentials1764300011110 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.addColumn(
      'credentials',
      new TableColumn(column('disablings', SMALL, { isNullable: true })),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('credentials', 'disablings');
  }
}
