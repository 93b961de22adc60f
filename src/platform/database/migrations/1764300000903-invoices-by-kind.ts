import { TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';
import { index } from './keys.js';

const BY_KIND = index('ix_invoices_kind', 'kind', 'issued_at', 'series', 'number');

/** The list of credit notes would otherwise read through all invoices. */
export class InvoicesByKind1764300000903 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.createIndex('invoices', new TableIndex(BY_KIND));
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropIndex('invoices', BY_KIND.name ?? '');
  }
}
