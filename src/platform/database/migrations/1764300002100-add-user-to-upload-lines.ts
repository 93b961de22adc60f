import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { fixedBytes } from '../entities/column-types.js';
import { column, columnFor } from './table-parts.js';

/** The user whom a line of an uploaded list named. */
export class AddUserToUploadLines1764300002100 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const userId = column('user_id', fixedBytes(16), { isNullable: true });
    await queryRunner.addColumn('upload_lines', new TableColumn(columnFor(queryRunner, userId)));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('upload_lines', 'user_id');
  }
}
