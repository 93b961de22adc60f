import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** Sessions of browsers in the administration. */
export class CreateConsoleSessions1764100000060 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { fixedBytes, words, whole } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'console_sessions',
        columns: [
          fixedBytes('id', 16, { isPrimary: true }),
          words('account', 255),
          fixedBytes('mark', 32),
          fixedBytes('secret_hash', 32),
          fixedBytes('previous_hash', 32, { isNullable: true }),
          whole('rotated_at'),
          whole('began_at'),
          whole('used_at'),
          whole('ends_at'),
          words('way', 16),
          words('address', 64),
          words('browser', 255),
        ],
        indices: [
          { name: 'ix_console_sessions_account', columnNames: ['account'] },
          { name: 'ix_console_sessions_end', columnNames: ['ends_at'] },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('console_sessions');
  }
}
