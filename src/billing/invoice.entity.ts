import { Column, Entity, PrimaryColumn, Unique } from 'typeorm';
import {
  JSON_TEXT,
  LARGE_BYTES,
  WHOLE,
  bytes,
  fixedBytes,
  words,
} from '../database/entities/column-types.js';
import { utf8Bytes } from '../database/columns.js';

/** A numbered invoice, byte for byte as it was answered; rows are only ever added. */
@Entity('invoices')
@Unique('uq_invoices_figures', ['date', 'figures'])
export class InvoiceEntity {
  @PrimaryColumn(WHOLE)
  number!: number;

  /** As it was asked for, such as 2026-11. */
  @Column(words(10))
  date!: string;

  /** SHA-256 of the invoice without its number: the same figures of a date get one number. */
  @Column(fixedBytes(32))
  figures!: Buffer;

  /** SHA-256 of the body. */
  @Column(fixedBytes(32))
  digest!: Buffer;

  @Column(LARGE_BYTES)
  body!: Buffer;

  /** Names of the tenants that it shows. */
  @Column(JSON_TEXT)
  tenants!: string[];

  @Column(words(3))
  currency!: string;

  @Column(WHOLE)
  total!: number;

  @Column(WHOLE)
  issuedAt!: number;

  @Column({ ...bytes(255), transformer: utf8Bytes })
  issuedBy!: string;
}
