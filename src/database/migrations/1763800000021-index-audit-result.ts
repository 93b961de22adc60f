import { TableIndex } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Refusals are few, and what auditors look for. */
export class IndexAuditResult1763800000021 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.createIndex(
      'audit',
      new TableIndex({ name: 'ix_audit_result', columnNames: ['result', 'seq'] }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropIndex('audit', 'ix_audit_result');
  }
}
