import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** How far the keys of each relying party have been evaluated again. */
export class CreateJudgements1764100000037 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { fixedBytes, flag } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'judgements',
        columns: [
          fixedBytes('relying_party_id', 16, { isPrimary: true }),
          fixedBytes('tenant_id', 16),
          fixedBytes('basis', 32),
          fixedBytes('position', 32),
          flag('done'),
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('judgements');
  }
}
