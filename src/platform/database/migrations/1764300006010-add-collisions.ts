import { Table, type MigrationInterface, type QueryRunner } from 'typeorm';
import { fixedBytes, words } from '../entities/column-types.js';
import { column, columnFor } from './table-parts.js';

/** Users of a predecessor who are nobody at the successor. */
export class AddCollisions1764300006010 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const columns = [
      column('relying_party_id', fixedBytes(16), { isPrimary: true }),
      column('former_user_id', fixedBytes(16), { isPrimary: true }),
      column('tenant_id', fixedBytes(16)),
      column('former_relying_party_id', fixedBytes(16)),
      column('reason', words(16)),
    ];
    await queryRunner.createTable(
      new Table({
        name: 'collisions',
        columns: columns.map((one) => columnFor(queryRunner, one)),
        foreignKeys: [
          {
            name: 'fk_collisions_relying_party',
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
    await queryRunner.dropTable('collisions');
  }
}
