import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** Keys that applications call with; only the SHA-256 of a secret is stored. A revoked key stays as a row. */
export class CreateApplicationKeys1763900000020 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { fixedBytes, words, text, whole } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'application_keys',
        columns: [
          fixedBytes('id', 16, { isPrimary: true }),
          fixedBytes('tenant_id', 16),
          words('name', 64),
          words('prefix', 16),
          fixedBytes('secret_hash', 32),
          text('scopes'),
          text('relying_parties', { isNullable: true }),
          whole('created_at'),
          words('created_by', 255),
          whole('expires_at', { isNullable: true }),
          whole('last_used_at', { isNullable: true }),
          whole('revoked_at', { isNullable: true }),
        ],
        indices: [
          { name: 'ix_application_keys_prefix', columnNames: ['prefix'] },
          { name: 'ix_application_keys_tenant', columnNames: ['tenant_id'] },
        ],
        foreignKeys: [
          {
            name: 'fk_application_keys_tenant',
            columnNames: ['tenant_id'],
            referencedTableName: 'tenants',
            referencedColumnNames: ['id'],
            onDelete: 'CASCADE',
          },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('application_keys');
  }
}
