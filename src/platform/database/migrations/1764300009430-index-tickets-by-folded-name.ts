import { TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';
import { index } from './table-parts.js';

/** Finds the tickets of a user that were issued for the name in another case. */
export class IndexTicketsByFoldedName1764300009430 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const byName = index('ix_tickets_folded_name', 'relying_party_id', 'folded_name');
    await queryRunner.createIndex('tickets', new TableIndex(byName));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropIndex('tickets', 'ix_tickets_folded_name');
  }
}
