import { TableIndex } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lists the users of a relying party by creation. Only a user's first registration writes to the index. */
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
