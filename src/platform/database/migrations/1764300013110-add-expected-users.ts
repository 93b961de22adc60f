import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { SMALL } from '../entities/column-types.js';
import { column, columnFor } from './table-parts.js';

/** How many users a relying party will have. */
export class AddExpectedUsers1764300013110 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const expected = column('expected_users', SMALL, { isNullable: true });
    await queryRunner.addColumn(
      'adoption_targets',
      new TableColumn(columnFor(queryRunner, expected)),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('adoption_targets', 'expected_users');
  }
}
