import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';
import { fixedBytes } from '../entities/column-types.js';
import { column, columnFor } from './table-parts.js';

/** A group may be renamed, and another group may get its former name. */
export class AddDirectoryGroupIdToDeletedGroups1764300013130 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const added = column('directory_group_id', fixedBytes(16), { isNullable: true });
    await queryRunner.addColumn('deleted_groups', new TableColumn(columnFor(queryRunner, added)));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('deleted_groups', 'directory_group_id');
  }
}
