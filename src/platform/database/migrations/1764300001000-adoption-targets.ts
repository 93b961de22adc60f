import { Table, type MigrationInterface, type QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';
import { cascade } from './keys.js';

/** The share of a relying party's users who should have a key by a day. */
export class AdoptionTargets1764300001000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { fixedBytes, small, whole, words } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'adoption_targets',
        columns: [
          fixedBytes('relying_party_id', 16, { isPrimary: true }),
          fixedBytes('tenant_id', 16),
          small('share'),
          words('by_day', 10),
          whole('changed_at'),
        ],
        foreignKeys: [
          cascade('fk_adoption_targets_relying_party', 'relying_party_id', 'relying_parties'),
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('adoption_targets');
  }
}
