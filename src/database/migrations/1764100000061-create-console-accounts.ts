import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/**
 * Accounts of the administration that are managed on its pages, and what is stored for accounts of the
 * configuration.
 */
export class CreateConsoleAccounts1764100000061 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { bytes, fixedBytes, text, words, whole } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'console_accounts',
        columns: [
          fixedBytes('id', 16, { isPrimary: true }),
          bytes('name', 255),
          words('role', 16, { isNullable: true }),
          text('tenants', { isNullable: true }),
          words('password', 80, { isNullable: true }),
          words('sign_in', 16),
          whole('created_at'),
          words('created_by', 255),
        ],
        indices: [{ name: 'uq_console_accounts_name', columnNames: ['name'], isUnique: true }],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('console_accounts');
  }
}
