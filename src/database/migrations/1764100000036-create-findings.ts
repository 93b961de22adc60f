import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** Findings: keys whose registration would be refused today. */
export class CreateFindings1764100000036 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { fixedBytes, words, whole } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'findings',
        columns: [
          fixedBytes('id', 16, { isPrimary: true }),
          fixedBytes('tenant_id', 16),
          fixedBytes('relying_party_id', 16),
          words('rule', 32),
          words('code', 8),
          words('action', 32),
          whole('found_at'),
        ],
        indices: [{ name: 'ix_findings_relying_party', columnNames: ['relying_party_id', 'id'] }],
        foreignKeys: [
          {
            name: 'fk_findings_credential',
            columnNames: ['id'],
            referencedTableName: 'credentials',
            referencedColumnNames: ['id'],
            onDelete: 'CASCADE',
          },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('findings');
  }
}
