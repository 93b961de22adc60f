import { TableColumn } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** The error code with which sign-ins of a credential are refused because of a finding. */
export class AddCredentialRefusal1764100000030 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { words } = columnsFor(queryRunner);
    const column = words('refused_with', 8, { isNullable: true });
    await queryRunner.addColumn('credentials', new TableColumn(column));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('credentials', 'refused_with');
  }
}
