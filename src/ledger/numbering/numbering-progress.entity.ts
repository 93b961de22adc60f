import { Column, Entity, PrimaryColumn } from 'typeorm';
import { SMALL, WHOLE } from '../../database/entities/column-types.js';

/** One row: how far events are numbered. It moves by compare-and-set, with the numbers given. */
@Entity('event_numbering')
export class NumberingProgress {
  @PrimaryColumn(SMALL)
  id!: number;

  /** The last number that was given. */
  @Column(WHOLE)
  last!: number;

  /** Up to which time of their ids events were looked for once: milliseconds since 1970, excluded. */
  @Column(WHOLE)
  upto!: number;
}
