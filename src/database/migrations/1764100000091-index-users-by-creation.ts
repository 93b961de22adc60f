import { TableIndex } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The users of a relying party in the order in which they came. Only a first registration writes to it. */
export class IndexUsersByCreation1764100000091 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.createIndex(
      'users',
      new TableIndex({
        name: 'ix_users_created',
        columnNames: ['relying_party_id', 'created_at', 'id'],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropIndex('users', 'ix_users_created');
  }
}
