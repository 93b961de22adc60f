import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** The user for whom a ticket was issued. */
export class AddUserToTickets1764300001101 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { fixedBytes } = columnsFor(queryRunner);
    const column = new TableColumn(fixedBytes('user_id', 16, { isNullable: true }));
    await queryRunner.addColumn('tickets', column);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('tickets', 'user_id');
  }
}
