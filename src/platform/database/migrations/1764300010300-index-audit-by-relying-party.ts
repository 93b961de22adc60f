import { TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';
import { index } from './table-parts.js';

/** Finds the newest rows about a relying party among those of its tenant. */
export class IndexAuditByRelyingParty1764300010300 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const byRelyingParty = index('ix_audit_relying_party', 'relying_party', 'seq');
    await queryRunner.createIndex('audit', new TableIndex(byRelyingParty));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropIndex('audit', 'ix_audit_relying_party');
  }
}
