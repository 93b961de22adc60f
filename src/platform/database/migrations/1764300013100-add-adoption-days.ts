import { Table, type MigrationInterface, type QueryRunner } from 'typeorm';
import { SMALL, WHOLE, fixedBytes } from '../entities/column-types.js';
import { column, columnFor } from './table-parts.js';

/** The users of relying parties as they were last counted on a day. */
export class AddAdoptionDays1764300013100 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const columns = [
      column('relying_party_id', fixedBytes(16), { isPrimary: true }),
      column('day', SMALL, { isPrimary: true }),
      column('tenant_id', fixedBytes(16)),
      column('users', WHOLE),
      column('with_key', WHOLE),
    ];
    await queryRunner.createTable(
      new Table({
        name: 'adoption_days',
        columns: columns.map((one) => columnFor(queryRunner, one)),
        foreignKeys: [
          {
            name: 'fk_adoption_days_relying_party',
            columnNames: ['relying_party_id'],
            referencedTableName: 'relying_parties',
            referencedColumnNames: ['id'],
            onDelete: 'CASCADE',
          },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('adoption_days');
  }
}
