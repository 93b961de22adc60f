import { TableIndex } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEX = 'uq_users_subject';

/** A subject belongs to one user of a relying party; any number of users have none. */
export class IndexUsersBySubject1763900000041 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const columnNames = ['relying_party_id', 'subject'];
    await queryRunner.createIndex(
      'users',
      new TableIndex({ name: INDEX, columnNames, isUnique: true }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropIndex('users', INDEX);
  }
}
