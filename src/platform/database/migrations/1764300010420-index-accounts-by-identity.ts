import { TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';
import { index } from './table-parts.js';

/** One account for each subject of an issuer. */
export class IndexAccountsByIdentity1764300010420 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const added = new TableIndex({
      ...index('uq_console_accounts_identity', 'identity'),
      isUnique: true,
    });
    await queryRunner.createIndex('console_accounts', added);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropIndex('console_accounts', 'uq_console_accounts_identity');
  }
}
