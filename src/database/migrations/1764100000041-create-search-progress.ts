import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** How far the names of earlier users have been read into the search. */
export class CreateSearchProgress1764100000041 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { fixedBytes, flag } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'search_progress',
        columns: [
          { name: 'id', type: 'integer', isPrimary: true },
          { name: 'folding', type: 'integer' },
          fixedBytes('upto', 16),
          flag('done'),
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('search_progress');
  }
}
