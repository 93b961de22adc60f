import { TableColumn } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** The number of the row that records the erasure of this one. */
export class AddAuditErasedBy1764100000071 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { whole } = columnsFor(queryRunner);
    await queryRunner.addColumn('audit', new TableColumn(whole('erased_by', { isNullable: true })));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('audit', 'erased_by');
  }
}
