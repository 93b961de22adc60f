import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/** Certificates that issued those of many credentials, each stored once. */
export class CreateAttestationAuthorities1764100000035 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { fixedBytes, largeBytes } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'attestation_authorities',
        columns: [fixedBytes('hash', 32, { isPrimary: true }), largeBytes('certificate')],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('attestation_authorities');
  }
}
