import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** The user whom a line of an uploaded list named. */
export class AddUserToUploadLines1764300002100 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { fixedBytes } = columnsFor(queryRunner);
    const column = new TableColumn(fixedBytes('user_id', 16, { isNullable: true }));
    await queryRunner.addColumn('upload_lines', column);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('upload_lines', 'user_id');
  }
}
