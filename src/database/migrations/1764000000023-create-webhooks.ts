import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** Addresses to which tenants' events are sent, and how far each has got them. */
export class CreateWebhooks1764000000023 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { fixedBytes, words, text, whole } = columnsFor(queryRunner);
    const nullable = { isNullable: true };
    await queryRunner.createTable(
      new Table({
        name: 'webhooks',
        columns: [
          fixedBytes('id', 16, { isPrimary: true }),
          fixedBytes('tenant_id', 16),
          text('url'),
          text('events'),
          text('relying_parties', nullable),
          text('secret'),
          text('former_secret', nullable),
          whole('former_until', nullable),
          whole('created_at'),
          words('created_by', 255),
          whole('told'),
          whole('due_at'),
          { name: 'failures', type: 'integer' },
          whole('failing_since', nullable),
          words('failure', 100, nullable),
          whole('failed_at', nullable),
          whole('delivered_at', nullable),
          whole('off_since', nullable),
        ],
        indices: [{ name: 'ix_webhooks_tenant', columnNames: ['tenant_id'] }],
        foreignKeys: [
          {
            name: 'fk_webhooks_tenant',
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
    await queryRunner.dropTable('webhooks');
  }
}
