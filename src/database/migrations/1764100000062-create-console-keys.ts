import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** Keys of the administration's accounts, in a table apart from users' keys, since they are not billed. */
export class CreateConsoleKeys1764100000062 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { bytes, fixedBytes, flag, largeBytes, words, whole } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'console_keys',
        columns: [
          fixedBytes('id', 16, { isPrimary: true }),
          fixedBytes('account_id', 16),
          words('domain', 253),
          fixedBytes('credential_hash', 32),
          bytes('credential_id', 1023),
          largeBytes('public_key'),
          whole('sign_count'),
          flag('backup_eligible'),
          flag('verifies_user'),
          words('transports', 100),
          words('name', 64),
          whole('created_at'),
          whole('used_at', { isNullable: true }),
        ],
        indices: [
          { name: 'uq_console_keys_credential', columnNames: ['credential_hash'], isUnique: true },
          { name: 'ix_console_keys_account', columnNames: ['account_id'] },
        ],
        foreignKeys: [
          {
            name: 'fk_console_keys_account',
            columnNames: ['account_id'],
            referencedTableName: 'console_accounts',
            referencedColumnNames: ['id'],
            onDelete: 'CASCADE',
          },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('console_keys');
  }
}
