import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** Certificate revocation lists that attestation certificates name. */
export class CreateRevocationLists1764100000080 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { fixedBytes, largeBytes, text, whole, words } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'revocation_lists',
        columns: [
          fixedBytes('id', 16, { isPrimary: true }),
          text('address'),
          largeBytes('issuer'),
          fixedBytes('digest', 32),
          { ...largeBytes('list'), isNullable: true },
          whole('this_update'),
          whole('due_at'),
          whole('checked_at'),
          whole('failures'),
          words('error', 255),
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('revocation_lists');
  }
}
