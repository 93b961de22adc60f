import { TableColumn } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** The domain from which a relying party takes its users over. */
export class AddPredecessor1764000000060 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { words } = columnsFor(queryRunner);
    const column = words('predecessor', 253, { isNullable: true });
    await queryRunner.addColumn('relying_parties', new TableColumn(column));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('relying_parties', 'predecessor');
  }
}
