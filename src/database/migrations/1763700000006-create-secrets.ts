import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

export class CreateSecrets1763700000006 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { words, text } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'secrets',
        columns: [words('name', 64, { isPrimary: true }), text('value')],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('secrets');
  }
}
