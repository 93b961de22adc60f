import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { words } from '../entities/column-types.js';
import { column, columnFor } from './table-parts.js';

/** How the key came to its user. */
export class AddOriginToCredentials1764300009110 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const origin = column('origin', words(16), { isNullable: true });
    await queryRunner.addColumn('credentials', new TableColumn(columnFor(queryRunner, origin)));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('credentials', 'origin');
  }
}
