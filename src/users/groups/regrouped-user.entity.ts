import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { fixedBytes } from '../../platform/database/entities/column-types.js';
import { ScopedColumns } from '../../platform/database/scope.js';
import { User } from '../user.entity.js';

/**
 * A user whose groups changed, so that another profile may apply to the user's keys, or whose keys changed while they
 * could not be evaluated. It is deleted when they have been evaluated again; a further change adds a row of its own.
 */
@Entity('regrouped_users')
@Index('ix_regrouped_users_user', ['userId'])
export class RegroupedUser extends ScopedColumns {
  @PrimaryColumn(fixedBytes(16))
  id!: Buffer;

  @Column(fixedBytes(16))
  userId!: Buffer;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'fk_regrouped_users_user' })
  user?: User;
}
