import { TableIndex } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const INDEX = 'ix_audit_request';

/** A person's page asks who caused an event, by the request that both rows name. */
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
