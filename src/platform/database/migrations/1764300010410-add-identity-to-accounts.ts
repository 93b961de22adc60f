import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { words } from '../entities/column-types.js';
import { column, columnFor } from './table-parts.js';

/** The issuer and the subject of an account of an OpenID provider. */
export class AddIdentityToAccounts1764300010410 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const added = column('identity', words(512), { isNullable: true });
    await queryRunner.addColumn('console_accounts', new TableColumn(columnFor(queryRunner, added)));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('console_accounts', 'identity');
  }
}
