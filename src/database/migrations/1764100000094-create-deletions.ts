import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** Deletions made on pages, which can be undone for a day. A job then makes them final. */
export class CreateDeletions1764100000094 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { bytes, fixedBytes, flag, whole, words } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'deletions',
        columns: [
          fixedBytes('id', 16, { isPrimary: true }),
          fixedBytes('tenant_id', 16),
          fixedBytes('relying_party_id', 16),
          fixedBytes('user_id', 16),
          bytes('username', 255),
          bytes('folded_name', 510),
          words('display_name', 255),
          fixedBytes('user_handle', 32),
          bytes('subject', 64, { isNullable: true }),
          whole('created_at'),
          flag('whole'),
          whole('at'),
          bytes('account', 255),
          words('reason', 200, { isNullable: true }),
          words('occasion', 64),
        ],
        indices: [
          { name: 'ix_deletions_name', columnNames: ['relying_party_id', 'folded_name'] },
          { name: 'ix_deletions_user', columnNames: ['user_id'] },
          { name: 'ix_deletions_occasion', columnNames: ['occasion'] },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('deletions');
  }
}
