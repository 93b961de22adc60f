import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/**
 * The usage ledger: rows are only ever added, and they outlive the users and credentials that they are about.
 */
export class CreateEvents1763700000005 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { bytes, fixedBytes, words, whole } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'events',
        columns: [
          fixedBytes('id', 16, { isPrimary: true }),
          whole('at'),
          fixedBytes('tenant_id', 16),
          fixedBytes('relying_party_id', 16),
          fixedBytes('user_id', 16),
          bytes('username', 255),
          fixedBytes('credential', 8),
          words('kind', 16),
          words('code', 8, { isNullable: true }),
        ],
        indices: [{ name: 'ix_events_relying_party', columnNames: ['relying_party_id', 'at'] }],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('events');
  }
}
