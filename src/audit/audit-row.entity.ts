import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import {
  TEXT,
  WHOLE,
  bytes,
  fixedBytes,
  words,
} from '../platform/database/entities/column-types.js';

/** A row of the audit trail. Rows are only appended, each sealed onto the last. */
@Entity('audit')
@Index('ix_audit_at', ['at'])
@Index('ix_audit_account', ['account', 'seq'])
@Index('ix_audit_action', ['action', 'seq'])
@Index('ix_audit_tenant', ['tenant', 'seq'])
@Index('ix_audit_relying_party', ['relyingParty', 'seq'])
@Index('ix_audit_target', ['target', 'seq'])
@Index('ix_audit_result', ['result', 'seq'])
@Index('ix_audit_request', ['requestId'])
export class AuditRow {
  @PrimaryColumn(WHOLE)
  seq!: number;

  /** Milliseconds since 1970; never less than in the previous row. */
  @Column(WHOLE)
  at!: number;

  @Column(bytes(255))
  account!: Buffer;

  @Column(words(16))
  role!: string;

  @Column(words(64))
  address!: string;

  @Column(words(64))
  action!: string;

  @Column({ ...bytes(255), nullable: true })
  tenant!: Buffer | null;

  @Column({ ...bytes(255), nullable: true })
  relyingParty!: Buffer | null;

  @Column({ ...bytes(1024), nullable: true })
  target!: Buffer | null;

  @Column(words(8))
  result!: string;

  @Column({ ...words(8), nullable: true })
  code!: string | null;

  @Column(words(64))
  requestId!: string;

  /** The unchanged JSON text, since the hash covers it. */
  @Column(TEXT)
  detail!: string;

  @Column(fixedBytes(32))
  previousHash!: Buffer;

  @Column(fixedBytes(32))
  hash!: Buffer;

  /** Part of the hash; `null` in rows of earlier versions, and in erased rows. */
  @Column({ ...fixedBytes(16), nullable: true })
  salt!: Buffer | null;

  /** The number of the row that records its erasure. */
  @Column({ ...WHOLE, nullable: true })
  erasedBy!: number | null;
}
