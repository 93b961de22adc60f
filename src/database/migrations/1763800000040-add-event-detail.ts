import { TableColumn } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** A word that says more exactly what the event was. */
export class AddEventDetail1763800000040 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { words } = columnsFor(queryRunner);
    await queryRunner.addColumn(
      'events',
      new TableColumn(words('detail', 100, { isNullable: true })),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('events', 'detail');
  }
}
