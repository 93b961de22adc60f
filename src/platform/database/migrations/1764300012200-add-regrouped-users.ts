import { Table, type MigrationInterface, type QueryRunner } from 'typeorm';
import { fixedBytes } from '../entities/column-types.js';
import { column, columnFor, index } from './table-parts.js';

/** Users whose groups changed, and whose keys are to be evaluated again. */
export class AddRegroupedUsers1764300012200 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const columns = [
      column('id', fixedBytes(16), { isPrimary: true }),
      column('tenant_id', fixedBytes(16)),
      column('relying_party_id', fixedBytes(16)),
      column('user_id', fixedBytes(16)),
    ];
    await queryRunner.createTable(
      new Table({
        name: 'regrouped_users',
        columns: columns.map((one) => columnFor(queryRunner, one)),
        indices: [index('ix_regrouped_users_user', 'user_id')],
        foreignKeys: [
          {
            name: 'fk_regrouped_users_user',
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
    await queryRunner.dropTable('regrouped_users');
  }
}
