import { TableColumn } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** What relying parties publish under `/.well-known`: related origins, apps, where keys are managed. */
export class AddWellKnown1764000000059 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { text } = columnsFor(queryRunner);
    const column = text('well_known', { isNullable: true });
    await queryRunner.addColumn('relying_parties', new TableColumn(column));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('relying_parties', 'well_known');
  }
}
