import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { FLAG } from '../entities/column-types.js';
import { column } from './table-parts.js';

/** An undo restores it too. */
export class AddDirectoryToDeletions1764300010160 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const added = column('is_of_directory', FLAG, { isNullable: true });
    await queryRunner.addColumn('deletions', new TableColumn(added));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('deletions', 'is_of_directory');
  }
}
