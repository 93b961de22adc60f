import { TableIndex } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEX = 'uq_users_folded_name';

/**
 * Unique, so that no two names of a relying party differ in case alone; names that are not folded have no
 * folded name and are exempt.
 */
export class IndexUsersByFoldedName1764100000003 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const columnNames = ['relying_party_id', 'folded_name'];
    await queryRunner.createIndex(
      'users',
      new TableIndex({ name: INDEX, columnNames, isUnique: true }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropIndex('users', INDEX);
  }
}
