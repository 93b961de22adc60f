import { TableColumn } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** Whether the registration of a credential asked for attestation. */
export class AddAttestationAsked1764100000032 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { flag } = columnsFor(queryRunner);
    const column = flag('attestation_asked', { isNullable: true });
    await queryRunner.addColumn('credentials', new TableColumn(column));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropColumn('credentials', 'attestation_asked');
  }
}
