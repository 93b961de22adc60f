import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** Keys of deletions that can be taken back, each with what its registration proved. */
export class CreateDeletedKeys1764100000095 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { bytes, fixedBytes, flag, largeBytes, text, whole, words } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'deleted_keys',
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
          flag('backup_eligible', { isNullable: true }),
          flag('backed_up'),
          flag('enabled'),
          whole('registered_at'),
          whole('last_used_at', { isNullable: true }),
          fixedBytes('last_ceremony', 16),
          words('imported_from', 16, { isNullable: true }),
          words('refused_with', 8, { isNullable: true }),
          { name: 'registration_flags', type: 'integer', isNullable: true },
          flag('attestation_asked', { isNullable: true }),
          flag('resident_key', { isNullable: true }),
          words('serial_number', 128, { isNullable: true }),
          fixedBytes('deletion_id', 16),
          text('evidence', { isNullable: true }),
          { ...largeBytes('certificates'), isNullable: true },
          bytes('authorities', 512, { isNullable: true }),
          { ...largeBytes('proof'), isNullable: true },
          words('uvm', 128, { isNullable: true }),
        ],
        indices: [
          { name: 'ix_deleted_keys_hash', columnNames: ['relying_party_id', 'credential_hash'] },
          { name: 'ix_deleted_keys_user', columnNames: ['user_id'] },
          { name: 'ix_deleted_keys_deletion', columnNames: ['deletion_id'] },
        ],
        foreignKeys: [
          {
            name: 'fk_deleted_keys_deletion',
            columnNames: ['deletion_id'],
            referencedTableName: 'deletions',
            referencedColumnNames: ['id'],
            onDelete: 'CASCADE',
          },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('deleted_keys');
  }
}
