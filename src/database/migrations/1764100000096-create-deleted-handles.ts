import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** Further handles of users whose deletion can be taken back. */
export class CreateDeletedHandles1764100000096 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { bytes, fixedBytes } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'deleted_handles',
        columns: [
          fixedBytes('deletion_id', 16, { isPrimary: true }),
          bytes('handle', 64, { isPrimary: true }),
          fixedBytes('tenant_id', 16),
          fixedBytes('relying_party_id', 16),
        ],
        foreignKeys: [
          {
            name: 'fk_deleted_handles_deletion',
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
    await queryRunner.dropTable('deleted_handles');
  }
}
