import { TableIndex } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lists the keys of a model page by page, ordered by their hashes, and counts them like the index before. */
export class IndexCredentialsOfModel1764100000050 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.createIndex(
      'credentials',
      new TableIndex({
        name: 'ix_credentials_of_model',
        columnNames: ['relying_party_id', 'aaguid', 'credential_hash'],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropIndex('credentials', 'ix_credentials_of_model');
  }
}
