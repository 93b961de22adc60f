import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** Receipts, which prove that a user agreed to a transaction. */
export class CreateReceipts1764000000010 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { bytes, fixedBytes, largeBytes, whole } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'receipts',
        columns: [
          fixedBytes('id', 16, { isPrimary: true }),
          whole('at'),
          fixedBytes('tenant_id', 16),
          fixedBytes('relying_party_id', 16),
          bytes('username', 255),
          fixedBytes('credential_hash', 32),
          bytes('public_key', 4096),
          largeBytes('client_data'),
          largeBytes('authenticator_data'),
          largeBytes('signature'),
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('receipts');
  }
}
