import { TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';
import { index } from './keys.js';

const BY_TIME = index('ix_invitations_issued', 'relying_party_id', 'issued_at', 'id');

/** The list of a relying party’s newest invitations read and sorted all of them. */
export class InvitationsByTime1764300000901 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.createIndex('invitations', new TableIndex(BY_TIME));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropIndex('invitations', BY_TIME.name ?? '');
  }
}
