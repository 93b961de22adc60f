import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { TEXT } from '../entities/column-types.js';
import { column, columnFor } from './table-parts.js';

/** What a session needs to read its groups again at the OpenID provider. */
export class AddProviderToSessions1764300010440 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const added = column('provider', TEXT, { isNullable: true });
    await queryRunner.addColumn('console_sessions', new TableColumn(columnFor(queryRunner, added)));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('console_sessions', 'provider');
  }
}
