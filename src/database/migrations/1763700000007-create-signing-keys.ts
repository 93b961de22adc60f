import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** Keys that sign the tokens; a retired one stays in the JWKS until its last token has expired. */
export class CreateSigningKeys1763700000007 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { words, text, whole } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'signing_keys',
        columns: [words('kid', 64, { isPrimary: true }), text('private_key'), whole('created_at')],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('signing_keys');
  }
}
