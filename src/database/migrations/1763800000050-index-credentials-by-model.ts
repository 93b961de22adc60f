import { TableIndex } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Counts the credentials of each model from the index alone, without reading rows. */
export class IndexCredentialsByModel1763800000050 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.createIndex(
      'credentials',
      new TableIndex({
        name: 'ix_credentials_model',
        columnNames: ['relying_party_id', 'aaguid'],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropIndex('credentials', 'ix_credentials_model');
  }
}
