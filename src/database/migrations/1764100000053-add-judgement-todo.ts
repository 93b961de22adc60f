import { TableColumn } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** The models whose keys are still to be evaluated. */
export class AddJudgementTodo1764100000053 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const column = columnsFor(queryRunner).largeBytes('todo');
    await queryRunner.addColumn('judgements', new TableColumn({ ...column, isNullable: true }));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('judgements', 'todo');
  }
}
