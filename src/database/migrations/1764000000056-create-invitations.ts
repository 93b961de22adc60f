import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** Tickets that a person can follow: a link that registers one or more keys. */
export class CreateInvitations1764000000056 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { fixedBytes, bytes, words, whole } = columnsFor(queryRunner);
    const count = (name: string) => ({ name, type: 'integer', default: 0 });
    await queryRunner.createTable(
      new Table({
        name: 'invitations',
        columns: [
          fixedBytes('id', 16, { isPrimary: true }),
          fixedBytes('tenant_id', 16),
          fixedBytes('relying_party_id', 16),
          fixedBytes('code_hash', 32),
          bytes('username', 255),
          words('display_name', 255, { isNullable: true }),
          words('issued_by', 255),
          whole('issued_at'),
          whole('expires_at'),
          whole('ended_at', { isNullable: true }),
          { name: 'min_keys', type: 'integer' },
          count('keys_made'),
          count('begun'),
          count('wrong_names'),
        ],
        indices: [
          { name: 'uq_invitations_code', columnNames: ['code_hash'], isUnique: true },
          {
            name: 'ix_invitations_user',
            columnNames: ['relying_party_id', 'username', 'issued_at'],
          },
          { name: 'ix_invitations_expiry', columnNames: ['expires_at'] },
        ],
        foreignKeys: [
          {
            name: 'fk_invitations_relying_party',
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
    await queryRunner.dropTable('invitations');
  }
}
