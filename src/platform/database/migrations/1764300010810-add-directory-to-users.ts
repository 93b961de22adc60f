import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { TEXT } from '../entities/column-types.js';
import { column, columnFor } from './table-parts.js';

/** What else a directory stores with the user. */
export class AddDirectoryToUsers1764300010810 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const added = column('directory', TEXT, { isNullable: true });
    await queryRunner.addColumn('users', new TableColumn(columnFor(queryRunner, added)));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('users', 'directory');
  }
}
