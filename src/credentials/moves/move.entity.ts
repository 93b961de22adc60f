import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { WHOLE, fixedBytes } from '../../database/entities/column-types.js';

/**
 * A person who has moved from an old domain to a new one, with the user's ID at each. The user at the new
 * domain may not exist yet. The row outlives both users, since invoices count the person once.
 */
@Entity('moves')
@Index('ix_moves_former', ['formerUserId'])
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

  @Column(WHOLE)
  movedAt!: number;
}
