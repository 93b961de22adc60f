import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** What registrations proved, in a table of its own, since every sign-in rewrites the rows of credentials. */
export class CreateAttestations1764100000034 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { fixedBytes, bytes, largeBytes, text, words } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'attestations',
        columns: [
          fixedBytes('id', 16, { isPrimary: true }),
          fixedBytes('tenant_id', 16),
          fixedBytes('relying_party_id', 16),
          text('evidence'),
          largeBytes('certificates'),
          bytes('authorities', 512),
          largeBytes('proof'),
          words('uvm', 128, { isNullable: true }),
        ],
        foreignKeys: [
          {
            name: 'fk_attestations_credential',
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
    await queryRunner.dropTable('attestations');
  }
}
