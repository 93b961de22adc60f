import { Column, Entity, PrimaryColumn } from 'typeorm';
import { FLAG, fixedBytes } from '../entities/column-types.js';

/**
 * Whether a unit is stored. On a database server each unit inserts its row, so that a process that lost the answer to
 * the commit can look it up. If there is no row, that process inserts one without `isStored`: then the primary key
 * refuses the unit, should it still arrive.
 */
@Entity('unit_outcomes')
export class UnitOutcome {
  @PrimaryColumn(fixedBytes(16))
  id!: Buffer;

  @Column(FLAG)
  isStored!: boolean;
}
