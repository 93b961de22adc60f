import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/**
 * `user_handle` is WebAuthn's user.id: 32 random bytes, new each time that a user of this name is created.
 */
export class CreateUsers1763700000003 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { bytes, fixedBytes, words, whole } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'users',
        columns: [
          fixedBytes('id', 16, { isPrimary: true }),
          fixedBytes('tenant_id', 16),
          fixedBytes('relying_party_id', 16),
          bytes('username', 255),
          words('display_name', 255),
          fixedBytes('user_handle', 32),
          whole('created_at'),
        ],
        uniques: [{ name: 'uq_users_username', columnNames: ['relying_party_id', 'username'] }],
        foreignKeys: [
          {
            name: 'fk_users_relying_party',
            columnNames: ['relying_party_id'],
            referencedTableName: 'relying_parties',
            referencedColumnNames: ['id'],
            onDelete: 'CASCADE',
          },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('users');
  }
}
