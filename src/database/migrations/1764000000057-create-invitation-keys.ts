import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** Which keys an invitation has registered: one of them vouches for the next. */
export class CreateInvitationKeys1764000000057 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { fixedBytes } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'invitation_keys',
        columns: [
          fixedBytes('invitation_id', 16, { isPrimary: true }),
          fixedBytes('credential_hash', 32, { isPrimary: true }),
          fixedBytes('tenant_id', 16),
          fixedBytes('relying_party_id', 16),
        ],
        foreignKeys: [
          {
            name: 'fk_invitation_keys_invitation',
            columnNames: ['invitation_id'],
            referencedTableName: 'invitations',
            referencedColumnNames: ['id'],
            onDelete: 'CASCADE',
          },
        ],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('invitation_keys');
  }
}
