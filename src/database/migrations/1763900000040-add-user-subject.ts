import { TableColumn } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** What the customer's own application calls a user. Who was made without an application has none. */
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
