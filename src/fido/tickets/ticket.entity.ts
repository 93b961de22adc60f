import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import {
  SMALL,
  WHOLE,
  bytes,
  fixedBytes,
  words,
} from '../../platform/database/entities/column-types.js';
import { utf8Bytes } from '../../platform/database/columns.js';

/** A permission to register one credential at a relying party. */
@Entity('tickets')
@Index('ix_tickets_expiry', ['expiresAt'])
export class Ticket {
  /** SHA-256 of the ticket, which itself is stored nowhere. */
  @PrimaryColumn(fixedBytes(32))
  ticketHash!: Buffer;

  @Column(fixedBytes(16))
  relyingPartyId!: Buffer;

  @Column({ ...bytes(255), transformer: utf8Bytes })
  username!: string;

  @Column(WHOLE)
  expiresAt!: number;

  /** `null` where an instance of the version before wrote the row. */
  @Column({ ...fixedBytes(16), nullable: true })
  tenantId!: Buffer | null;

  /** How many registrations it has begun. */
  @Column({ ...SMALL, default: 0 })
  begun!: number;

  @Column({ ...words(255), nullable: true })
  displayName!: string | null;

  /** The user for whom it was issued; zeros where nobody had the name. `null` in rows of version 1.0. */
  @Column({ ...fixedBytes(16), nullable: true })
  userId!: Buffer | null;
}
