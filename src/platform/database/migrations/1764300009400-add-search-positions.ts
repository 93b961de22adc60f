import { Table, type MigrationInterface, type QueryRunner } from 'typeorm';
import { FLAG, SMALL, bytes, fixedBytes } from '../entities/column-types.js';
import { column, columnFor } from './table-parts.js';

/** How far the names of each relying party have been indexed for the search. */
export class AddSearchPositions1764300009400 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const columns = [
      column('relying_party_id', fixedBytes(16), { isPrimary: true }),
      column('tenant_id', fixedBytes(16)),
      column('folding', SMALL),
      column('upto', bytes(255)),
      column('done', FLAG),
    ];
    await queryRunner.createTable(
      new Table({
        name: 'search_positions',
        columns: columns.map((one) => columnFor(queryRunner, one)),
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('search_positions');
  }
}
