import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/**
 * A relying party's usage of a day (days since 1970, UTC) and its stock at the day's end; days without events
 * have no row. `active_users` counts from the month's first day up to this one.
 */
export class CreateUsageDays1763800000047 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { fixedBytes, whole } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'usage_days',
        columns: [
          fixedBytes('relying_party_id', 16, { isPrimary: true }),
          { name: 'day', type: 'integer', isPrimary: true },
          { name: 'month', type: 'integer' },
          whole('registrations'),
          whole('authentications'),
          whole('users'),
          whole('enabled'),
          whole('disabled'),
          whole('active_users'),
          whole('events'),
        ],
        indices: [{ name: 'ix_usage_days_day', columnNames: ['day'] }],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('usage_days');
  }
}
