import { TableColumn } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether a relying party folds the names of its users: the statement that stores a name reads it. */
export class AddFoldsNames1764100000004 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const column = { name: 'folds_names', type: 'integer', default: 0 };
    await queryRunner.addColumn('relying_parties', new TableColumn(column));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('relying_parties', 'folds_names');
  }
}
