import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { bytes } from '../entities/column-types.js';
import { column, columnFor } from './table-parts.js';

/** The ID that a directory gives the user. */
export class AddExternalIdToUsers1764300010800 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const added = column('external_id', bytes(255), { isNullable: true });
    await queryRunner.addColumn('users', new TableColumn(columnFor(queryRunner, added)));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('users', 'external_id');
  }
}
