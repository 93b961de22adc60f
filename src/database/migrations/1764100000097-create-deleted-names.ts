import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** Earlier names of users whose deletion can be taken back. */
export class CreateDeletedNames1764100000097 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { bytes, fixedBytes, whole } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'deleted_names',
        columns: [
          fixedBytes('deletion_id', 16, { isPrimary: true }),
          bytes('username', 255, { isPrimary: true }),
          whole('until', { isPrimary: true }),
          fixedBytes('tenant_id', 16),
          fixedBytes('relying_party_id', 16),
        ],
        foreignKeys: [
          {
            name: 'fk_deleted_names_deletion',
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
    await queryRunner.dropTable('deleted_names');
  }
}
