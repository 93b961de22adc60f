import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { bytes } from '../entities/column-types.js';
import { column, columnFor } from './table-parts.js';

/** The folded name, by which the invitations of a user are found in any case. */
export class AddFoldedNamesToInvitations1764300009420 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const folded = column('folded_name', bytes(510), { isNullable: true });
    await queryRunner.addColumn('invitations', new TableColumn(columnFor(queryRunner, folded)));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('invitations', 'folded_name');
  }
}
