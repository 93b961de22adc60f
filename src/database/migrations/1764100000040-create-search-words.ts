import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** Folded words of users' names, by which the help desk finds people. A job fills the table. */
export class CreateSearchWords1764100000040 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { bytes, fixedBytes } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'search_words',
        withoutRowid: true,
        columns: [
          fixedBytes('relying_party_id', 16, { isPrimary: true }),
          bytes('word', 96, { isPrimary: true }),
          fixedBytes('user_id', 16, { isPrimary: true }),
          fixedBytes('tenant_id', 16),
        ],
        indices: [{ name: 'ix_search_words_user', columnNames: ['user_id'] }],
        foreignKeys: [
          {
            name: 'fk_search_words_user',
            columnNames: ['user_id'],
            referencedTableName: 'users',
            referencedColumnNames: ['id'],
            onDelete: 'CASCADE',
          },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('search_words');
  }
}
