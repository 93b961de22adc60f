import { TableColumn } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** User names by which people are found in any case, where a relying party wants that. */
export class AddFoldedName1764100000002 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { bytes } = columnsFor(queryRunner);
    const column = bytes('folded_name', 510, { isNullable: true });
    await queryRunner.addColumn('users', new TableColumn(column));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('users', 'folded_name');
  }
}
