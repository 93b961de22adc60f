import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { TEXT } from '../entities/column-types.js';
import { column, columnFor } from './table-parts.js';

/** The app origins of a relying party that an account of all tenants has confirmed. */
export class AddConfirmedApps1764300007100 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const confirmed = column('confirmed_apps', TEXT, { isNullable: true });
    await queryRunner.addColumn(
      'relying_parties',
      new TableColumn(columnFor(queryRunner, confirmed)),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('relying_parties', 'confirmed_apps');
  }
}
