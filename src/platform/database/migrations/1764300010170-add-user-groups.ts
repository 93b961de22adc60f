import { Table, type MigrationInterface, type QueryRunner } from 'typeorm';
import { bytes, fixedBytes } from '../entities/column-types.js';
import { column, columnFor, index } from './table-parts.js';

/** The groups of users. */
export class AddUserGroups1764300010170 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const columns = [
      column('relying_party_id', fixedBytes(16), { isPrimary: true }),
      column('name', bytes(255), { isPrimary: true }),
      column('user_id', fixedBytes(16), { isPrimary: true }),
      column('tenant_id', fixedBytes(16)),
    ];
    await queryRunner.createTable(
      new Table({
        name: 'user_groups',
        columns: columns.map((one) => columnFor(queryRunner, one)),
        indices: [index('ix_user_groups_user', 'user_id')],
        foreignKeys: [
          {
            name: 'fk_user_groups_user',
            columnNames: ['user_id'],
            referencedTableName: 'users',
            referencedColumnNames: ['id'],
            onDelete: 'CASCADE',
          },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('user_groups');
  }
}
