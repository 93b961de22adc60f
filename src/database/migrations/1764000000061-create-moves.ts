import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** Which user of a new domain is which user of the old one. It outlives both, for invoices. */
export class CreateMoves1764000000061 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { fixedBytes, whole } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'moves',
        columns: [
          fixedBytes('user_id', 16, { isPrimary: true }),
          fixedBytes('former_user_id', 16),
          fixedBytes('former_relying_party_id', 16),
          fixedBytes('relying_party_id', 16),
          fixedBytes('tenant_id', 16),
          whole('moved_at'),
        ],
        indices: [{ name: 'ix_moves_former', columnNames: ['former_user_id'] }],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('moves');
  }
}
