import { Column, Entity, PrimaryColumn } from 'typeorm';
import { SMALL, WHOLE } from '../../platform/database/entities/column-types.js';

/** One row: how far events are numbered. It moves by compare-and-set, in the same unit as the numbers. */
@Entity('event_numbering')
export class NumberingProgress {
  @PrimaryColumn(SMALL)
  id!: number;

  /** The last number given to an event. */
  @Column(WHOLE)
  last!: number;

  /** The time up to which all IDs have been searched for events: milliseconds since 1970, excluded. */
  @Column(WHOLE)
  upto!: number;
}
