import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { TEXT } from '../entities/column-types.js';
import { column, columnFor } from './table-parts.js';

/** The copy of `directory` of a deleted user. */
export class AddDirectoryToDeletions1764300010815 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const added = column('directory', TEXT, { isNullable: true });
    await queryRunner.addColumn('deletions', new TableColumn(columnFor(queryRunner, added)));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('deletions', 'directory');
  }
}
