import { TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';
import { index } from './keys.js';

const BY_TIME = index('ix_invoices_issued', 'issued_at', 'series', 'number');

/** The list of documents read and sorted all of them. */
export class InvoicesByTime1764300000900 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.createIndex('invoices', new TableIndex(BY_TIME));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropIndex('invoices', BY_TIME.name ?? '');
  }
}
