import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { TEXT } from '../entities/column-types.js';
import { column, columnFor } from './table-parts.js';

/** The account of the help desk that suspends the user, and why. */
export class AddSuspensionToUsers1764300010120 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const added = columnFor(queryRunner, column('suspension', TEXT, { isNullable: true }));
    await queryRunner.addColumn('users', new TableColumn(added));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('users', 'suspension');
  }
}
