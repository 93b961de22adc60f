import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** How far the last import of each relying party has come. */
export class CreateImports1764000000045 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { fixedBytes, bytes, words, text, whole } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'imports',
        columns: [
          fixedBytes('relying_party_id', 16, { isPrimary: true }),
          fixedBytes('tenant_id', 16),
          fixedBytes('run', 16),
          bytes('account', 255),
          words('source', 16),
          words('state', 10),
          text('tally'),
          whole('began_at'),
          whole('changed_at'),
        ],
        foreignKeys: [
          {
            name: 'fk_imports_relying_party',
            columnNames: ['relying_party_id'],
            referencedTableName: 'relying_parties',
            referencedColumnNames: ['id'],
            onDelete: 'CASCADE',
          },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('imports');
  }
}
