import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { words } from '../entities/column-types.js';
import { column, columnFor } from './table-parts.js';

/** Whether an application or an account issued it. */
export class AddIssuerToTickets1764300009130 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const issuer = column('issuer', words(16), { isNullable: true });
    await queryRunner.addColumn('tickets', new TableColumn(columnFor(queryRunner, issuer)));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('tickets', 'issuer');
  }
}
