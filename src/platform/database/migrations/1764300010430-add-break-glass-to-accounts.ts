import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { FLAG } from '../entities/column-types.js';
import { column, columnFor } from './table-parts.js';

/** Whether an account may sign in here where others sign in at the OpenID provider. */
export class AddBreakGlassToAccounts1764300010430 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const added = column('break_glass', FLAG, { default: '0' });
    await queryRunner.addColumn('console_accounts', new TableColumn(columnFor(queryRunner, added)));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('console_accounts', 'break_glass');
  }
}
