import { TableIndex } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEX = 'ix_audit_request';

/** Finds who caused an event, for a user's page, by the request ID that event and audit row share. */
export class IndexAuditByRequest1764000000064 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.createIndex(
      'audit',
      new TableIndex({ name: INDEX, columnNames: ['request_id'] }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropIndex('audit', INDEX);
  }
}
