import { Column, Entity, Index, PrimaryColumn, Unique } from 'typeorm';
import {
  JSON_TEXT,
  LARGE_BYTES,
  WHOLE,
  bytes,
  fixedBytes,
  words,
  utf8Bytes,
  type Encoded,
  type Json,
} from '../../platform/database/entities/column-types.js';

/**
 * Each series contains the numbers 1, 2, 3 …; credit notes are numbered among the invoices. After a restore,
 * documents continue in a new series.
 */
export type NumberSeries = 'invoice' | 'statement' | `R${number}` | `S-R${number}`;

export const DOCUMENT_KINDS = ['invoice', 'statement', 'credit-note'] as const;
export type DocumentKind = (typeof DOCUMENT_KINDS)[number];

/** An invoice, a statement or a credit note, stored byte for byte; rows are only ever added. */
@Entity('invoices')
@Unique('uq_invoices_figures', ['date', 'uniqueDigest'])
@Index('ix_invoices_tenant', ['tenantId', 'date'])
@Index('ix_invoices_series', ['series', 'number'])
@Index('ix_invoices_issued', ['issuedAt', 'series', 'number'])
@Index('ix_invoices_kind', ['kind', 'issuedAt', 'series', 'number'])
export class InvoiceEntity {
  @PrimaryColumn(WHOLE)
  number!: number;

  /** The last day of its period, YYYY-MM-DD. */
  @Column(words(10))
  date!: string;

  /** As `Draft.uniqueDigest`. The column keeps its first name. */
  @Column({ ...fixedBytes(32), name: 'figures' })
  uniqueDigest!: Buffer;

  /** SHA-256 of the body. */
  @Column(fixedBytes(32))
  digest!: Buffer;

  @Column(LARGE_BYTES)
  body!: Buffer;

  /** Names of the tenants in the document. */
  @Column(JSON_TEXT)
  tenants!: Json<string[]>;

  @Column(words(3))
  currency!: string;

  @Column(WHOLE)
  total!: number;

  @Column(WHOLE)
  issuedAt!: number;

  @Column({ ...bytes(255), transformer: utf8Bytes })
  issuedBy!: Encoded;

  @PrimaryColumn({ ...words(10), default: 'invoice' })
  series!: NumberSeries;

  @Column({ ...words(12), default: 'invoice' })
  kind!: DocumentKind;

  /** `null` if it covers several tenants, as all invoices did before each tenant had its own. */
  @Column({ ...fixedBytes(16), nullable: true })
  tenantId!: Buffer | null;

  /** For a credit note: the number of the cancelled invoice. */
  @Column({ ...WHOLE, nullable: true })
  cancels!: number | null;

  /** For a credit note: the series of that invoice; `null` for `invoice`. */
  @Column({ ...words(10), nullable: true })
  cancelsSeries!: NumberSeries | null;

  /** The electronic document (EN 16931); `null` if there is none. Large, and therefore only read by request. */
  @Column({ ...LARGE_BYTES, nullable: true, select: false })
  xml!: Buffer | null;

  /** SHA-256 of the electronic document. */
  @Column({ ...fixedBytes(32), nullable: true })
  xmlDigest!: Buffer | null;
}
