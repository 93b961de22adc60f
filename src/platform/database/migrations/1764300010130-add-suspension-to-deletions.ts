import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { TEXT } from '../entities/column-types.js';
import { column, columnFor } from './table-parts.js';

/** An undo restores the suspension too. */
export class AddSuspensionToDeletions1764300010130 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const added = columnFor(queryRunner, column('suspension', TEXT, { isNullable: true }));
    await queryRunner.addColumn('deletions', new TableColumn(added));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('deletions', 'suspension');
  }
}
