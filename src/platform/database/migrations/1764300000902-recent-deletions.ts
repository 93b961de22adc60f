import { TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';
import { index } from './keys.js';

const RECENT = index('ix_deletions_recent', 'relying_party_id', 'whole', 'id');

/** The list of a relying party’s newest deletions read those of all relying parties. */
export class RecentDeletions1764300000902 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.createIndex('deletions', new TableIndex(RECENT));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropIndex('deletions', RECENT.name ?? '');
  }
}
