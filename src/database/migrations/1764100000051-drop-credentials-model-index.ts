import { TableIndex } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** `ix_credentials_of_model` begins with the same columns and replaces this index. */
export class DropCredentialsModelIndex1764100000051 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropIndex('credentials', 'ix_credentials_model');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.createIndex(
      'credentials',
      new TableIndex({
        name: 'ix_credentials_model',
        columnNames: ['relying_party_id', 'aaguid'],
      }),
    );
  }
}
