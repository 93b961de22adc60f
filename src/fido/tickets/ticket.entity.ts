import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { WHOLE, bytes, fixedBytes } from '../../database/entities/column-types.js';
import { utf8Bytes } from '../../database/columns.js';

/** A one-time permission to begin a registration; the relying party says of which tenant. */
@Entity('tickets')
@Index('ix_tickets_expiry', ['expiresAt'])
export class Ticket {
  /** SHA-256 of the ticket, which is nowhere else. */
  @PrimaryColumn(fixedBytes(32))
  ticketHash!: Buffer;

  @Column(fixedBytes(16))
  relyingPartyId!: Buffer;

  @Column({ ...bytes(255), transformer: utf8Bytes })
  username!: string;

  @Column(WHOLE)
  expiresAt!: number;
}
