import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { bytes, fixedBytes } from '../platform/database/entities/column-types.js';
import { KeyedByRelyingParty } from '../platform/database/scope.js';
import { User } from './user.entity.js';

/**
 * A handle of some of a user's keys that is not the user's own, 1 to 64 bytes. Only imports create them: other
 * servers make a handle for each key, or handles of another length than ours.
 */
@Entity('further_handles')
@Index('ix_further_handles_user', ['userId'])
export class FurtherHandle extends KeyedByRelyingParty {
  @PrimaryColumn(bytes(64))
  handle!: Buffer;

  @Column(fixedBytes(16))
  userId!: Buffer;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'fk_further_handles_user' })
  user?: User;
}
