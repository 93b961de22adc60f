import { TableIndex } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How many credentials of each model there are is counted in the index alone, never in the rows. */
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
