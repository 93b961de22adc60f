import { TableColumn } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** ID of the request that caused an event, which people read in an error message. */
export class AddEventRequest1763800000041 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { words } = columnsFor(queryRunner);
    await queryRunner.addColumn(
      'events',
      new TableColumn(words('request_id', 32, { isNullable: true })),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('events', 'request_id');
  }
}
