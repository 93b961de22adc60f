import { Table, type MigrationInterface, type QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';
import { cascade, uniqueIndex } from './keys.js';

/** Accounts of the console that their owners have not set up yet. */
export class AccountSetups1764300000700 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { fixedBytes, whole } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'console_setups',
        columns: [
          fixedBytes('account_id', 16, { isPrimary: true }),
          fixedBytes('token_hash', 32, { isNullable: true }),
          whole('ends_at', { isNullable: true }),
        ],
        indices: [uniqueIndex('uq_console_setups_token', 'token_hash')],
        foreignKeys: [cascade('fk_console_setups_account', 'account_id', 'console_accounts')],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('console_setups');
  }
}
