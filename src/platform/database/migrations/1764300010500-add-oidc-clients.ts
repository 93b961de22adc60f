import { Table, type MigrationInterface, type QueryRunner } from 'typeorm';
import { FLAG, TEXT, WHOLE, fixedBytes, words } from '../entities/column-types.js';
import { column, columnFor } from './table-parts.js';

/** Clients of OpenID Connect. */
export class AddOidcClients1764300010500 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const columns = [
      column('tenant_id', fixedBytes(16)),
      column('relying_party_id', fixedBytes(16), { isPrimary: true }),
      column('client_id', words(22), { isPrimary: true }),
      column('name', words(64)),
      column('kind', words(8)),
      column('secret_hash', fixedBytes(32), { isNullable: true }),
      column('redirect_uris', TEXT),
      column('post_logout_redirect_uris', TEXT),
      column('algorithm', words(8)),
      column('groups_allowed', FLAG),
      column('entra', TEXT, { isNullable: true }),
      column('created_at', WHOLE),
      column('created_by', words(255)),
      column('changed_at', WHOLE),
    ];
    await queryRunner.createTable(
      new Table({
        name: 'oidc_clients',
        columns: columns.map((one) => columnFor(queryRunner, one)),
        foreignKeys: [
          {
            name: 'fk_oidc_clients_relying_party',
            columnNames: ['relying_party_id'],
            referencedTableName: 'relying_parties',
            referencedColumnNames: ['id'],
            onDelete: 'CASCADE',
          },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('oidc_clients');
  }
}
