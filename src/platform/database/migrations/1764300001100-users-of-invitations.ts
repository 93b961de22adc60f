import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** The user for whom an invitation was issued. */
export class AddUserToInvitations1764300001100 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { fixedBytes } = columnsFor(queryRunner);
    const column = new TableColumn(fixedBytes('user_id', 16, { isNullable: true }));
    await queryRunner.addColumn('invitations', column);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('invitations', 'user_id');
  }
}
