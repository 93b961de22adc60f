import { TableColumn } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** Serial number of the authenticator, where an enterprise attestation named it. */
export class AddSerialNumber1764100000081 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { words } = columnsFor(queryRunner);
    const column = words('serial_number', 128, { isNullable: true });
    await queryRunner.addColumn('credentials', new TableColumn(column));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('credentials', 'serial_number');
  }
}
