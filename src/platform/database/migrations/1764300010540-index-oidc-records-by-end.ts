import { TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';
import { index } from './table-parts.js';

const INDEX = index('ix_oidc_records_end', 'expires_at');

export class IndexOidcRecordsByEnd1764300010540 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.createIndex('oidc_records', new TableIndex(INDEX));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropIndex('oidc_records', 'ix_oidc_records_end');
  }
}
