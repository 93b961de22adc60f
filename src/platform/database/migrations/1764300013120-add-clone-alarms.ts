import { Table, type MigrationInterface, type QueryRunner } from 'typeorm';
import { fixedBytes } from '../entities/column-types.js';
import { column, columnFor } from './table-parts.js';

/** The last alarm about each key that may have been copied. */
export class AddCloneAlarms1764300013120 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const columns = [
      column('relying_party_id', fixedBytes(16), { isPrimary: true }),
      column('credential_hash', fixedBytes(32), { isPrimary: true }),
      column('tenant_id', fixedBytes(16)),
      column('alarm', fixedBytes(16)),
    ];
    await queryRunner.createTable(
      new Table({
        name: 'clone_alarms',
        columns: columns.map((one) => columnFor(queryRunner, one)),
        foreignKeys: [
          {
            name: 'fk_clone_alarms_relying_party',
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
    await queryRunner.dropTable('clone_alarms');
  }
}
