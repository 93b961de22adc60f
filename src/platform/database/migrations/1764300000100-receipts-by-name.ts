import { TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';
import { index } from './keys.js';

/** By which an erasure finds the receipts of a name, as it finds events. */
const BY_NAME = index('ix_receipts_user', 'relying_party_id', 'username', 'at');

/** Erasing a user read all receipts. */
export class ReceiptsByName1764300000100 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.createIndex('receipts', new TableIndex(BY_NAME));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropIndex('receipts', BY_NAME.name ?? '');
  }
}
