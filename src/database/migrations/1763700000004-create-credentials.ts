import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/**
 * Credential IDs have up to 1023 bytes, so their SHA-256 is indexed instead. `last_ceremony` names the
 * ceremony that wrote the row last, so that a write whose answer was lost can be recognised.
 */
export class CreateCredentials1763700000004 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { bytes, fixedBytes, flag, words, text, whole } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'credentials',
        columns: [
          fixedBytes('id', 16, { isPrimary: true }),
          fixedBytes('tenant_id', 16),
          fixedBytes('relying_party_id', 16),
          fixedBytes('user_id', 16),
          bytes('credential_id', 1023),
          fixedBytes('credential_hash', 32),
          bytes('public_key', 4096),
          { name: 'algorithm', type: 'integer' },
          whole('sign_count'),
          fixedBytes('aaguid', 16),
          words('device_name', 300),
          text('keypair', { isNullable: true }),
          words('transports', 255),
          words('attestation_format', 32),
          words('attestation_type', 32),
          flag('attestation_trusted'),
          flag('user_verified'),
          flag('backup_eligible'),
          flag('backed_up'),
          flag('enabled'),
          whole('registered_at'),
          whole('last_used_at', { isNullable: true }),
          fixedBytes('last_ceremony', 16),
        ],
        uniques: [
          { name: 'uq_credentials_hash', columnNames: ['relying_party_id', 'credential_hash'] },
        ],
        indices: [
          { name: 'ix_credentials_user', columnNames: ['user_id'] },
          { name: 'ix_credentials_enabled', columnNames: ['relying_party_id', 'enabled'] },
        ],
        foreignKeys: [
          {
            name: 'fk_credentials_user',
            columnNames: ['user_id'],
            referencedTableName: 'users',
            referencedColumnNames: ['id'],
            onDelete: 'CASCADE',
          },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('credentials');
  }
}
