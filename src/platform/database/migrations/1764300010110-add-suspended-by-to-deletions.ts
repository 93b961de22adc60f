import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { SMALL } from '../entities/column-types.js';
import { column } from './table-parts.js';

/** An undo restores the suspension too. */
export class AddSuspendedByToDeletions1764300010110 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const added = column('suspended_by', SMALL, { isNullable: true });
    await queryRunner.addColumn('deletions', new TableColumn(added));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('deletions', 'suspended_by');
  }
}
