import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** A closed relying party stays as a row, for invoices; its domain is free again at once. */
export class CreateRelyingParties1763700000002 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { fixedBytes, words, text, whole } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'relying_parties',
        columns: [
          fixedBytes('id', 16, { isPrimary: true }),
          fixedBytes('tenant_id', 16),
          words('domain', 253),
          words('name', 255),
          text('origins'),
          text('policy'),
          whole('created_at'),
          whole('changed_at'),
          whole('closed_at', { default: 0 }),
        ],
        uniques: [{ name: 'uq_relying_parties_domain', columnNames: ['domain', 'closed_at'] }],
        indices: [{ name: 'ix_relying_parties_tenant', columnNames: ['tenant_id'] }],
        foreignKeys: [
          {
            name: 'fk_relying_parties_tenant',
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
    await queryRunner.dropTable('relying_parties');
  }
}
