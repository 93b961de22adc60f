import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import {
  FLAG,
  SMALL,
  WHOLE,
  bytes,
  fixedBytes,
  words,
  utf8Bytes,
  type Encoded,
} from '../../platform/database/entities/column-types.js';
import { foldedBytes } from '../../platform/validation/values/folded-name.js';
import { MAX_NAME_BYTES } from '../../platform/validation/values/names.js';
import type { KeyOrigin } from '../../users/credentials/credential.entity.js';

type TicketIssuer = Extract<KeyOrigin, 'application' | 'account'>;

/** Permission to register one credential at a relying party. */
@Entity('tickets')
@Index('ix_tickets_expiry', ['expiresAt'])
@Index('ix_tickets_name', ['relyingPartyId', 'username'])
@Index('ix_tickets_folded_name', ['relyingPartyId', 'foldedName'])
export class Ticket {
  /** SHA-256 of the ticket; the ticket itself is not stored. */
  @PrimaryColumn(fixedBytes(32))
  ticketHash!: Buffer;

  @Column(fixedBytes(16))
  relyingPartyId!: Buffer;

  @Column({ ...bytes(255), transformer: utf8Bytes })
  username!: Encoded;

  @Column(WHOLE)
  expiresAt!: number;

  /** `null` in rows of earlier versions. */
  @Column({ ...fixedBytes(16), nullable: true })
  tenantId!: Buffer | null;

  /** Number of registrations begun with it. */
  @Column({ ...SMALL, default: 0 })
  begun!: number;

  @Column({ ...words(255), nullable: true })
  displayName!: string | null;

  /** The user for whom it was issued; zeros if no user had the name. `null` in rows of earlier versions. */
  @Column({ ...fixedBytes(16), nullable: true })
  userId!: Buffer | null;

  /**
   * Whether a user whom it creates at a predecessor may be linked to a user of the successor: its issuer covers both.
   * `null` in rows of earlier versions.
   */
  @Column({ ...FLAG, nullable: true })
  mayLink!: boolean | null;

  /** Who issued it, which becomes the origin of the key. `null` in rows of earlier versions. */
  @Column({ ...words(16), nullable: true })
  issuer!: TicketIssuer | null;

  /** The folded user name, kept whether or not the relying party ignores case. `null` in rows of earlier versions. */
  @Column({ ...bytes(foldedBytes(MAX_NAME_BYTES)), nullable: true })
  foldedName!: Buffer | null;
}
