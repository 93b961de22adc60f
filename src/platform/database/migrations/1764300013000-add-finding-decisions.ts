import { Table, type MigrationInterface, type QueryRunner } from 'typeorm';
import { WHOLE, bytes, fixedBytes, words } from '../entities/column-types.js';
import { column, columnFor } from './table-parts.js';

/** What accounts decided about findings. */
export class AddFindingDecisions1764300013000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const columns = [
      column('relying_party_id', fixedBytes(16), { isPrimary: true }),
      column('kind', words(16), { isPrimary: true }),
      column('subject', bytes(32), { isPrimary: true }),
      column('tenant_id', fixedBytes(16)),
      column('assigned_to', words(255), { isNullable: true }),
      column('accepted_by', words(255), { isNullable: true }),
      column('reason', words(200), { isNullable: true }),
      column('accepted_until', WHOLE, { isNullable: true }),
      column('known_alarm', fixedBytes(16), { isNullable: true }),
    ];
    await queryRunner.createTable(
      new Table({
        name: 'finding_decisions',
        columns: columns.map((one) => columnFor(queryRunner, one)),
        foreignKeys: [
          {
            name: 'fk_finding_decisions_relying_party',
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
    await queryRunner.dropTable('finding_decisions');
  }
}
