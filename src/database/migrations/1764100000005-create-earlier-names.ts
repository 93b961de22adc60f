import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** Earlier names of users, under which earlier events are recorded. */
export class CreateEarlierNames1764100000005 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { bytes, fixedBytes, whole } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'earlier_names',
        withoutRowid: true,
        columns: [
          fixedBytes('relying_party_id', 16, { isPrimary: true }),
          bytes('username', 255, { isPrimary: true }),
          whole('until', { isPrimary: true }),
          fixedBytes('user_id', 16, { isPrimary: true }),
          fixedBytes('tenant_id', 16),
        ],
        indices: [{ name: 'ix_earlier_names_user', columnNames: ['user_id'] }],
        foreignKeys: [
          {
            name: 'fk_earlier_names_user',
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
    await queryRunner.dropTable('earlier_names');
  }
}
