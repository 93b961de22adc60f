import { TableColumn } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many registrations a ticket has begun; the one that completes removes the row. */
export class CountTicketBegins1763900000030 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const begun = new TableColumn({ name: 'begun', type: 'integer', default: 0 });
    await queryRunner.addColumn('tickets', begun);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('tickets', 'begun');
  }
}
