import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/**
 * The lines of an uploaded list, each name once. A line that cannot be a name has no `username`; `shown` is
 * its beginning. `outcome` tells what a deletion did with the line.
 */
export class CreateUploadLines1763800000031 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { bytes, fixedBytes, words } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'upload_lines',
        columns: [
          fixedBytes('upload_id', 16, { isPrimary: true }),
          { name: 'line', type: 'integer', isPrimary: true },
          bytes('username', 255, { isNullable: true }),
          bytes('shown', 255, { isNullable: true }),
          words('outcome', 8, { isNullable: true }),
          { name: 'credentials', type: 'integer', default: 0 },
        ],
        uniques: [{ name: 'uq_upload_lines_username', columnNames: ['upload_id', 'username'] }],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('upload_lines');
  }
}
