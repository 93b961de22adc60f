import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { SMALL } from '../entities/column-types.js';
import { column } from './table-parts.js';

/** Who suspends the user. */
export class AddSuspendedByToUsers1764300010100 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const added = column('suspended_by', SMALL, { isNullable: true });
    await queryRunner.addColumn('users', new TableColumn(added));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('users', 'suspended_by');
  }
}
