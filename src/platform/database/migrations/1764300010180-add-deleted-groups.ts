import { Table, type MigrationInterface, type QueryRunner } from 'typeorm';
import { bytes, fixedBytes } from '../entities/column-types.js';
import { column, columnFor } from './table-parts.js';

/** The groups of deleted users, for an undo. */
export class AddDeletedGroups1764300010180 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const columns = [
      column('deletion_id', fixedBytes(16), { isPrimary: true }),
      column('name', bytes(255), { isPrimary: true }),
      column('tenant_id', fixedBytes(16)),
      column('relying_party_id', fixedBytes(16)),
    ];
    await queryRunner.createTable(
      new Table({
        name: 'deleted_groups',
        columns: columns.map((one) => columnFor(queryRunner, one)),
        foreignKeys: [
          {
            name: 'fk_deleted_groups_deletion',
            columnNames: ['deletion_id'],
            referencedTableName: 'deletions',
            referencedColumnNames: ['id'],
            onDelete: 'CASCADE',
          },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('deleted_groups');
  }
}
