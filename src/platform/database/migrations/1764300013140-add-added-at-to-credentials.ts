import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { WHOLE } from '../entities/column-types.js';
import { column } from './table-parts.js';

/** When the key was added, not before the sign-ins of its user that were stored then. */
export class AddAddedAtToCredentials1764300013140 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.addColumn(
      'credentials',
      new TableColumn(column('added_at', WHOLE, { isNullable: true })),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('credentials', 'added_at');
  }
}
