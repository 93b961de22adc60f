import { Table, type MigrationInterface, type QueryRunner } from 'typeorm';
import { WHOLE, bytes, fixedBytes } from '../entities/column-types.js';
import { column, columnFor, index } from './table-parts.js';

/** The groups that directories make. */
export class AddDirectoryGroups1764300011310 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const columns = [
      column('tenant_id', fixedBytes(16)),
      column('relying_party_id', fixedBytes(16)),
      column('id', fixedBytes(16), { isPrimary: true }),
      column('name', bytes(255)),
      column('former_name', bytes(255), { isNullable: true }),
      column('external_id', bytes(255), { isNullable: true }),
      column('created_at', WHOLE),
      column('version', WHOLE),
    ];
    const unique = (name: string, ...columnNames: string[]) => ({
      ...index(name, 'relying_party_id', ...columnNames),
      isUnique: true,
    });
    await queryRunner.createTable(
      new Table({
        name: 'directory_groups',
        columns: columns.map((one) => columnFor(queryRunner, one)),
        indices: [
          unique('uq_directory_groups_name', 'name'),
          unique('uq_directory_groups_former_name', 'former_name'),
          unique('uq_directory_groups_external_id', 'external_id'),
          index('ix_directory_groups_created', 'relying_party_id', 'created_at', 'id'),
        ],
        foreignKeys: [
          {
            name: 'fk_directory_groups_relying_party',
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
    await queryRunner.dropTable('directory_groups');
  }
}
