import { TableColumn } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** The shape of the keys that a relying party makes up for unknown users. */
export class AddKeyShapes1764100000001 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { text } = columnsFor(queryRunner);
    const column = text('key_shapes', { isNullable: true });
    await queryRunner.addColumn('relying_parties', new TableColumn(column));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('relying_parties', 'key_shapes');
  }
}
