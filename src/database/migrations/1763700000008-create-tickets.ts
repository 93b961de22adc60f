import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** One-time permissions to begin a registration; only the SHA-256 of a ticket is kept. */
export class CreateTickets1763700000008 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { bytes, fixedBytes, whole } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'tickets',
        columns: [
          fixedBytes('ticket_hash', 32, { isPrimary: true }),
          fixedBytes('relying_party_id', 16),
          bytes('username', 255),
          whole('expires_at'),
        ],
        indices: [{ name: 'ix_tickets_expiry', columnNames: ['expires_at'] }],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('tickets');
  }
}
