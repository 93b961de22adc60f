import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** Messages that a webhook's receiver refused for so long that they were set aside. */
export class CreateSetAsideMessages1764100000020 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { fixedBytes, words, whole } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'set_aside_messages',
        columns: [
          fixedBytes('webhook_id', 16, { isPrimary: true }),
          whole('number', { isPrimary: true }),
          fixedBytes('event_id', 16),
          whole('at'),
          words('failure', 100),
        ],
        foreignKeys: [
          {
            name: 'fk_set_aside_messages_webhook',
            columnNames: ['webhook_id'],
            referencedTableName: 'webhooks',
            referencedColumnNames: ['id'],
            onDelete: 'CASCADE',
          },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('set_aside_messages');
  }
}
