import { Column, Entity, PrimaryColumn } from 'typeorm';
import { FLAG, SMALL, fixedBytes } from '../../platform/database/entities/column-types.js';

/** One row: how far the names of earlier users have been read. It is changed by compare-and-set. */
@Entity('search_progress')
export class SearchProgress {
  @PrimaryColumn(SMALL)
  id!: number;

  /** The `FOLDING` by which the words were made. */
  @Column(SMALL)
  folding!: number;

  /** The last user, in the order of IDs, whose words are stored. */
  @Column(fixedBytes(16))
  upto!: Buffer;

  @Column(FLAG)
  done!: boolean;
}
