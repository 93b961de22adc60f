import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** Challenges that keys of the administration have answered, so that each is accepted only once. */
export class CreateConsoleChallenges1764100000063 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { fixedBytes, whole } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'console_challenges',
        columns: [fixedBytes('hash', 32, { isPrimary: true }), whole('ends_at')],
        indices: [{ name: 'ix_console_challenges_end', columnNames: ['ends_at'] }],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('console_challenges');
  }
}
