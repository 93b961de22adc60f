import { Table, type MigrationInterface, type QueryRunner } from 'typeorm';
import { SMALL, TEXT, WHOLE, fixedBytes } from '../entities/column-types.js';
import { column, columnFor } from './table-parts.js';

/** Sessions, grants, codes and tokens of OpenID Connect. */
export class AddOidcRecords1764300010520 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const columns = [
      column('tenant_id', fixedBytes(16)),
      column('relying_party_id', fixedBytes(16)),
      column('id', fixedBytes(32), { isPrimary: true }),
      column('reference', fixedBytes(32), { isNullable: true }),
      column('user_id', fixedBytes(16)),
      column('lockouts', SMALL),
      column('credential_id', fixedBytes(16)),
      column('credential_party_id', fixedBytes(16)),
      column('disablings', SMALL),
      column('payload', TEXT),
      column('consumed_at', WHOLE, { isNullable: true }),
      column('expires_at', WHOLE),
    ];
    await queryRunner.createTable(
      new Table({
        name: 'oidc_records',
        columns: columns.map((one) => columnFor(queryRunner, one)),
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('oidc_records');
  }
}
