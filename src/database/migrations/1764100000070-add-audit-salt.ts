import { TableColumn } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** Salts the hash of a row, so that after its erasure nobody finds out by trying names whom it was about. */
export class AddAuditSalt1764100000070 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { fixedBytes } = columnsFor(queryRunner);
    await queryRunner.addColumn(
      'audit',
      new TableColumn(fixedBytes('salt', 16, { isNullable: true })),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('audit', 'salt');
  }
}
