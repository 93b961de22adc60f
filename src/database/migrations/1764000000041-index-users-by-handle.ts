import { TableIndex } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEX = 'uq_users_handle';

/** Handles must be unique: ours are random, but an imported one could be another user's. */
export class IndexUsersByHandle1764000000041 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const columnNames = ['relying_party_id', 'user_handle'];
    await queryRunner.createIndex(
      'users',
      new TableIndex({ name: INDEX, columnNames, isUnique: true }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropIndex('users', INDEX);
  }
}
