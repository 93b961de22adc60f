import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** One row: how far events are numbered. */
export class CreateEventNumbering1764000000022 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { whole } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'event_numbering',
        columns: [{ name: 'id', type: 'integer', isPrimary: true }, whole('last'), whole('upto')],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('event_numbering');
  }
}
