import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { FLAG } from '../entities/column-types.js';
import { column } from './table-parts.js';

/** Whether a new user whom it permits at a predecessor may be linked to a user of the successor. */
export class AddLinkingToInvitations1764300006030 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.addColumn(
      'invitations',
      new TableColumn(column('may_link', FLAG, { isNullable: true })),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('invitations', 'may_link');
  }
}
