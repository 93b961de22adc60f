import { TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';
import { index } from './table-parts.js';

/** Finds the tickets of a user, which a lock-out ends. */
export class IndexTicketsByName1764300002530 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const byName = index('ix_tickets_name', 'relying_party_id', 'username');
    await queryRunner.createIndex('tickets', new TableIndex(byName));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropIndex('tickets', 'ix_tickets_name');
  }
}
