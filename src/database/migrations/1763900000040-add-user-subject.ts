import { TableColumn } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** The name of a user in the customer's own application. Users who were created without one have none. */
export class AddUserSubject1763900000040 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { bytes } = columnsFor(queryRunner);
    const subject = bytes('subject', 64, { isNullable: true });
    await queryRunner.addColumn('users', new TableColumn(subject));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('users', 'subject');
  }
}
