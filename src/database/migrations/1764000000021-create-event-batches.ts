import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** Numbers of events, by which they are read forward: one row numbers many events. */
export class CreateEventBatches1764000000021 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { bytes, fixedBytes, whole } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'event_batches',
        columns: [
          whole('last', { isPrimary: true }),
          fixedBytes('tenant_id', 16),
          fixedBytes('relying_party_id', 16),
          whole('slice'),
          { name: 'size', type: 'integer' },
          bytes('ids', 4096),
        ],
        indices: [
          {
            name: 'ix_event_batches_relying_party',
            columnNames: ['relying_party_id', 'last'],
          },
          { name: 'ix_event_batches_tenant', columnNames: ['tenant_id', 'last'] },
          { name: 'ix_event_batches_slice', columnNames: ['slice', 'size'] },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('event_batches');
  }
}
