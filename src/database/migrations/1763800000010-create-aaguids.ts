import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** The AAGUID whitelist. The row of a removed model stays, so that seeding does not bring the model back. */
export class CreateAaguids1763800000010 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { fixedBytes, words, whole } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'aaguids',
        columns: [
          fixedBytes('aaguid', 16, { isPrimary: true }),
          words('name', 255),
          whole('added_at'),
          words('added_by', 255),
          whole('removed_at'),
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('aaguids');
  }
}
