import { Table } from 'typeorm';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { columnsFor } from './columns.js';

/**
 * Numbered invoices, byte for byte as they were answered; rows are only ever added. `figures` is the SHA-256
 * of an invoice without its number: the same figures for the same date keep their number.
 */
export class CreateInvoices1763800000049 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { bytes, fixedBytes, largeBytes, text, whole, words } = columnsFor(queryRunner);
    await queryRunner.createTable(
      new Table({
        name: 'invoices',
        columns: [
          whole('number', { isPrimary: true }),
          words('date', 10),
          fixedBytes('figures', 32),
          fixedBytes('digest', 32),
          largeBytes('body'),
          text('tenants'),
          words('currency', 3),
          whole('total'),
          whole('issued_at'),
          bytes('issued_by', 255),
        ],
        uniques: [{ name: 'uq_invoices_figures', columnNames: ['date', 'figures'] }],
      }),
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.dropTable('invoices');
  }
}
