import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { WHOLE, fixedBytes } from '../../database/entities/column-types.js';

/**
 * A person who has come from an old domain to the new one: which user of the new one is which of the old.
 * The user of the new one may not exist yet. Rows outlive both, since invoices count people once.
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

  /** Of the new domain. */
  @Column(fixedBytes(16))
  relyingPartyId!: Buffer;

  @Column(fixedBytes(16))
  tenantId!: Buffer;

  @Column(WHOLE)
  movedAt!: number;
}
