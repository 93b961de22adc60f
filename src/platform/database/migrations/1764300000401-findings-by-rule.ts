import { TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';
import { index } from './keys.js';

const BY_RULE = index('ix_findings_rule', 'relying_party_id', 'rule', 'id');

/** By which the page of findings lists the keys that break a rule. */
export class FindingsByRule1764300000401 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.createIndex('findings', new TableIndex(BY_RULE));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropIndex('findings', BY_RULE.name ?? '');
  }
}
