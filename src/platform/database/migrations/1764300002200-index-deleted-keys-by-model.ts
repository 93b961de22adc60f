import { TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';
import { index } from './table-parts.js';

/** Finds the deleted keys of a model, which a job disables too. */
export class IndexDeletedKeysByModel1764300002200 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const ofModel = index('ix_deleted_keys_of_model', 'relying_party_id', 'aaguid', 'id');
    await queryRunner.createIndex('deleted_keys', new TableIndex(ofModel));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropIndex('deleted_keys', 'ix_deleted_keys_of_model');
  }
}
