import { TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';
import { index } from './table-parts.js';

/** Finds the invitations of a user that were issued for the name in another case. */
export class IndexInvitationsByFoldedName1764300009440 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const byName = index('ix_invitations_folded_name', 'relying_party_id', 'folded_name');
    await queryRunner.createIndex('invitations', new TableIndex(byName));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropIndex('invitations', 'ix_invitations_folded_name');
  }
}
