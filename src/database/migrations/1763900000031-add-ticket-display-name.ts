import { TableColumn } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** The display name that the issuer of a ticket gives its user. */
export class AddTicketDisplayName1763900000031 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { words } = columnsFor(queryRunner);
    const displayName = words('display_name', 255, { isNullable: true });
    await queryRunner.addColumn('tickets', new TableColumn(displayName));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('tickets', 'display_name');
  }
}
