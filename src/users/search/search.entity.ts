import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { bytes, fixedBytes, FLAG, SMALL } from '../../platform/database/entities/column-types.js';
import { KeyedByRelyingParty } from '../../platform/database/scope.js';
import { User } from '../user.entity.js';
import { WORD_BYTES } from './folding.js';

/**
 * A folded word of a user's names. It may be outdated: a search compares the user's row with
 * its text. It is deleted with its user.
 */
@Entity('search_words', { withoutRowid: true })
@Index('ix_search_words_user', ['userId'])
export class SearchWord extends KeyedByRelyingParty {
  @PrimaryColumn(bytes(WORD_BYTES))
  word!: Buffer;

  @PrimaryColumn(fixedBytes(16))
  userId!: Buffer;

  @ManyToOne(() => User, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'user_id', foreignKeyConstraintName: 'fk_search_words_user' })
  user?: User;
}

/** One row: the progress of indexing earlier users' names. It is changed by compare-and-set. */
@Entity('search_progress')
export class SearchProgress {
  @PrimaryColumn(SMALL)
  id!: number;

  /** The `FOLDING` with which the words were made. */
  @Column(SMALL)
  folding!: number;

  /** The last user, in the order of IDs, whose words are stored. */
  @Column(fixedBytes(16))
  upto!: Buffer;

  @Column(FLAG)
  done!: boolean;
}
