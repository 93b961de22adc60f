import { TableColumn } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** The kind of server from which a credential was imported. Credentials registered here have none. */
export class AddCredentialOrigin1764000000043 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { words } = columnsFor(queryRunner);
    const column = words('imported_from', 16, { isNullable: true });
    await queryRunner.addColumn('credentials', new TableColumn(column));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('credentials', 'imported_from');
  }
}
