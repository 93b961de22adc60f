import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { FLAG } from '../entities/column-types.js';
import { column } from './table-parts.js';

/** Whether a directory made the user. */
export class AddDirectoryToUsers1764300010150 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const added = column('is_of_directory', FLAG, { isNullable: true });
    await queryRunner.addColumn('users', new TableColumn(added));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('users', 'is_of_directory');
  }
}
