import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { SMALL } from '../entities/column-types.js';
import { column } from './table-parts.js';

/** How often the user was locked out. */
export class AddLockoutsToUsers1764300002510 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.addColumn(
      'users',
      new TableColumn(column('lockouts', SMALL, { isNullable: true })),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('users', 'lockouts');
  }
}
