import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { fixedBytes } from '../entities/column-types.js';
import { column, columnFor } from './table-parts.js';

/** The session at the OpenID provider, which ends this one by a back-channel logout. */
export class AddSidToSessions1764300010450 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const added = column('sid_hash', fixedBytes(32), { isNullable: true });
    await queryRunner.addColumn('console_sessions', new TableColumn(columnFor(queryRunner, added)));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('console_sessions', 'sid_hash');
  }
}
