import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** Counts of ceremonies that leave no event, by week, kind, browser and how they ended. */
export class CreateCeremonyCounts1764100000086 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { fixedBytes, whole, words } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'ceremony_counts',
        withoutRowid: true,
        columns: [
          fixedBytes('relying_party_id', 16, { isPrimary: true }),
          { name: 'week', type: 'integer', isPrimary: true },
          words('kind', 16, { isPrimary: true }),
          words('step', 16, { isPrimary: true }),
          words('browser', 16, { isPrimary: true }),
          words('detail', 36, { isPrimary: true }),
          fixedBytes('tenant_id', 16),
          whole('n'),
        ],
        indices: [{ name: 'ix_ceremony_counts_week', columnNames: ['week'] }],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('ceremony_counts');
  }
}
