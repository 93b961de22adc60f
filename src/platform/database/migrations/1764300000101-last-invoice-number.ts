import { TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';
import { index } from './keys.js';

/** By which the last number of a series is found. */
const BY_SERIES = index('ix_invoices_series', 'series', 'number');

/** Storing an invoice read all numbers, since the primary key begins with the number. */
export class LastInvoiceNumber1764300000101 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.createIndex('invoices', new TableIndex(BY_SERIES));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropIndex('invoices', BY_SERIES.name ?? '');
  }
}
