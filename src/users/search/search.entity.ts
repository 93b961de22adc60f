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

/** How far the names of a relying party's earlier users have been indexed. It is changed by compare-and-set. */
@Entity('search_positions')
export class SearchPosition extends KeyedByRelyingParty {
  /** The `FOLDING` with which the words were made. */
  @Column(SMALL)
  folding!: number;

  /** The last user name, in the order of bytes, whose words are stored; empty if all are. */
  @Column(bytes(255))
  upto!: Buffer;

  @Column(FLAG)
  done!: boolean;
}

/** One row: whether the names of all relying parties have been indexed. */
@Entity('search_progress')
export class SearchProgress {
  @PrimaryColumn(SMALL)
  id!: number;

  /** The `FOLDING` with which the words were made. */
  @Column(SMALL)
  folding!: number;

  /** The last user, in the order of IDs, whose words an instance of version 1.0 has stored. */
  @Column(fixedBytes(16))
  upto!: Buffer;

  @Column(FLAG)
  done!: boolean;
}
