import { TableIndex } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An index by result, since auditors look for refusals, which are few. */
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
