import { Column, Entity, PrimaryColumn } from 'typeorm';
import { SMALL, WHOLE } from '../../platform/database/entities/column-types.js';

/** One row: how far events are counted. It moves by compare-and-set, in the unit that stores the figures. */
@Entity('usage_progress')
export class UsageProgress {
  @PrimaryColumn(SMALL)
  id!: number;

  @Column(WHOLE)
  upto!: number;
}
