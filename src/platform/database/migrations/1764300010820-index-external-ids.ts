import { TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';
import { index } from './table-parts.js';

/** Finds users by the ID of their directory, which only one user of a relying party can have. */
export class IndexExternalIds1764300010820 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const byId = index('uq_users_external_id', 'relying_party_id', 'external_id');
    await queryRunner.createIndex('users', new TableIndex({ ...byId, isUnique: true }));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropIndex('users', 'uq_users_external_id');
  }
}
