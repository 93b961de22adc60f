import { TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';
import { index } from './table-parts.js';

/** Lists the suspended users. */
export class IndexSuspendedUsers1764300010140 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const suspended = index('ix_users_suspended', 'relying_party_id', 'suspended_by', 'id');
    await queryRunner.createIndex('users', new TableIndex(suspended));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropIndex('users', 'ix_users_suspended');
  }
}
