import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/**
 * Who changed what in the administration: rows are only ever added, each with a seal that covers the row
 * before.
 */
export class CreateAudit1763800000020 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { bytes, fixedBytes, text, words, whole } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'audit',
        columns: [
          whole('seq', { isPrimary: true }),
          whole('at'),
          bytes('account', 255),
          words('role', 16),
          words('address', 64),
          words('action', 64),
          bytes('tenant', 255, { isNullable: true }),
          bytes('relying_party', 255, { isNullable: true }),
          bytes('target', 1024, { isNullable: true }),
          words('result', 8),
          words('code', 8, { isNullable: true }),
          words('request_id', 64),
          text('detail'),
          fixedBytes('previous_hash', 32),
          fixedBytes('hash', 32),
        ],
        indices: [
          { name: 'ix_audit_at', columnNames: ['at'] },
          { name: 'ix_audit_account', columnNames: ['account', 'seq'] },
          { name: 'ix_audit_action', columnNames: ['action', 'seq'] },
          { name: 'ix_audit_tenant', columnNames: ['tenant', 'seq'] },
          { name: 'ix_audit_target', columnNames: ['target', 'seq'] },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('audit');
  }
}
