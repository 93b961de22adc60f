import { Column, Entity, PrimaryColumn } from 'typeorm';
import { FLAG, SMALL, fixedBytes } from '../../database/entities/column-types.js';

/** One row: how far the names of users who were there before are read. It moves by compare-and-set. */
@Entity('search_progress')
export class SearchProgress {
  @PrimaryColumn(SMALL)
  id!: number;

  /** Which `FOLDING` made the words. */
  @Column(SMALL)
  folding!: number;

  /** The last user whose words are there, in the order of ids. */
  @Column(fixedBytes(16))
  upto!: Buffer;

  @Column(FLAG)
  done!: boolean;
}
