import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { WHOLE, fixedBytes } from '../../platform/database/entities/column-types.js';

/**
 * Links a user of an old domain to the same user at the new one, who may not exist yet. The row outlives both
 * users: invoices count the user once, and a deletion that is undone brings the link back.
 */
@Entity('moves')
@Index('ix_moves_former', ['formerUserId'])
@Index('uq_moves_former', ['relyingPartyId', 'formerUserId'], { unique: true })
export class Move {
  @PrimaryColumn(fixedBytes(16))
  userId!: Buffer;

  @Column(fixedBytes(16))
  formerUserId!: Buffer;

  @Column(fixedBytes(16))
  formerRelyingPartyId!: Buffer;

  /** The relying party of the new domain. */
  @Column(fixedBytes(16))
  relyingPartyId!: Buffer;

  @Column(fixedBytes(16))
  tenantId!: Buffer;

  /** When the user first signed in or registered at the new domain; 0 where this has not happened yet. */
  @Column(WHOLE)
  movedAt!: number;
}
