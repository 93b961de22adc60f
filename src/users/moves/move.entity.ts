import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { fixedBytes, WHOLE, words } from '../../platform/database/entities/column-types.js';
import { KeyedByRelyingParty, ScopedColumns } from '../../platform/database/scope.js';
import { RelyingPartyEntity } from '../../tenancy/relying-party.entity.js';

/**
 * Links a user of a predecessor to the same user at the successor, who may not exist yet. A row of a user who has
 * arrived outlives both users and the move: invoices count the user once, and an undone deletion restores the link. It
 * counts only while its predecessor is the present one, and gives way to a link of a later move. It belongs to the
 * successor, as do the rows of the other tables here. Column names keep the word of version 1.0: `former`.
 */
@Entity('moves')
@Index('ix_moves_former', ['predecessorUserId'])
@Index('uq_moves_former', ['relyingPartyId', 'predecessorUserId'], { unique: true })
export class Move extends ScopedColumns {
  @PrimaryColumn(fixedBytes(16))
  userId!: Buffer;

  @Column({ ...fixedBytes(16), name: 'former_user_id' })
  predecessorUserId!: Buffer;

  @Column({ ...fixedBytes(16), name: 'former_relying_party_id' })
  predecessorId!: Buffer;

  /** When the user arrived: signed in or registered at the successor, or was found there. 0 for an expected user. */
  @Column(WHOLE)
  movedAt!: number;
}

/**
 * Why a user of the predecessor is nobody at the successor: another user of the successor has the name, or gave it up, or
 * the user with the same user ID is linked to somebody else, or an application that covers only the predecessor created
 * the user.
 */
export const COLLISIONS = ['nameTaken', 'nameGivenUp', 'userIdTaken', 'oneDomain'] as const;
export type CollisionReason = (typeof COLLISIONS)[number];

/** A user of the predecessor who is nobody at the successor, unless an account links the two. */
@Entity('collisions')
export class CollisionEntity extends KeyedByRelyingParty {
  @ManyToOne(() => RelyingPartyEntity, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'relying_party_id', foreignKeyConstraintName: 'fk_collisions_relying_party' })
  relyingParty?: RelyingPartyEntity;

  @PrimaryColumn({ ...fixedBytes(16), name: 'former_user_id' })
  predecessorUserId!: Buffer;

  @Column({ ...fixedBytes(16), name: 'former_relying_party_id' })
  predecessorId!: Buffer;

  /** As it was when it was decided. */
  @Column(words(16))
  reason!: CollisionReason;
}

/**
 * A user name of a successor that belongs to another user than the same name at the predecessor. It is stored as
 * hashes: it must outlive the user, and after an erasure no name may identify the user.
 */
@Entity('separate_names')
export class SeparateName extends KeyedByRelyingParty {
  @ManyToOne(() => RelyingPartyEntity, { onDelete: 'CASCADE' })
  @JoinColumn({
    name: 'relying_party_id',
    foreignKeyConstraintName: 'fk_separate_names_relying_party',
  })
  relyingParty?: RelyingPartyEntity;

  /** SHA-256 of the folded name. */
  @PrimaryColumn(fixedBytes(32))
  foldedHash!: Buffer;

  /** SHA-256 of the name in NFC. */
  @PrimaryColumn(fixedBytes(32))
  nameHash!: Buffer;
}
