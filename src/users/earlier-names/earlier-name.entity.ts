import { Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import {
  WHOLE,
  bytes,
  fixedBytes,
  utf8Bytes,
} from '../../platform/database/entities/column-types.js';
import { KeyedByRelyingParty } from '../../platform/database/scope.js';
import { User } from '../user.entity.js';

/** A former name of a user, with the time at which the user gave it up. Deleted with its user. */
@Entity('earlier_names', { withoutRowid: true })
@Index('ix_earlier_names_user', ['userId'])
export class EarlierName extends KeyedByRelyingParty {
  @PrimaryColumn({ ...bytes(255), transformer: utf8Bytes })
  username!: string;

  /** Milliseconds since 1970. */
  @PrimaryColumn(WHOLE)
  until!: number;

  @PrimaryColumn(fixedBytes(16))
  userId!: Buffer;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'fk_earlier_names_user' })
  user?: User;
}
