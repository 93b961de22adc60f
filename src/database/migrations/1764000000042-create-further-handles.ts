import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/**
 * Handles that some keys of a user carry besides the user's own: some other servers make a handle for each
 * key.
 */
export class CreateFurtherHandles1764000000042 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { bytes, fixedBytes } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'further_handles',
        columns: [
          fixedBytes('relying_party_id', 16, { isPrimary: true }),
          bytes('handle', 64, { isPrimary: true }),
          fixedBytes('tenant_id', 16),
          fixedBytes('user_id', 16),
        ],
        indices: [{ name: 'ix_further_handles_user', columnNames: ['user_id'] }],
        foreignKeys: [
          {
            name: 'fk_further_handles_user',
            columnNames: ['user_id'],
            referencedTableName: 'users',
            referencedColumnNames: ['id'],
            onDelete: 'CASCADE',
          },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('further_handles');
  }
}
