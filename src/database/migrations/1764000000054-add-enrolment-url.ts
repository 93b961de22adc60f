import { TableColumn } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** Where a relying party's own page for invitations is. */
export class AddEnrolmentUrl1764000000054 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { words } = columnsFor(queryRunner);
    const column = words('enrolment_url', 500, { isNullable: true });
    await queryRunner.addColumn('relying_parties', new TableColumn(column));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('relying_parties', 'enrolment_url');
  }
}
