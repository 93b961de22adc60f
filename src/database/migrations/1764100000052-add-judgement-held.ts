import { TableColumn } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** The rules and data that all keys of a relying party have certainly been evaluated against. */
export class AddJudgementHeld1764100000052 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const column = columnsFor(queryRunner).largeBytes('held');
    await queryRunner.addColumn('judgements', new TableColumn({ ...column, isNullable: true }));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('judgements', 'held');
  }
}
