import { Column, Entity, PrimaryColumn } from 'typeorm';
import { WHOLE, words } from '../entities/column-types.js';

/** The instance that does a job which only one instance may do at a time. */
@Entity('leases')
export class LeaseEntity {
  @PrimaryColumn(words(32))
  name!: string;

  /** Random name of the process that holds the lease; empty after a process released it. */
  @Column(words(32))
  holder!: string;

  /** Increases whenever the holder renews the lease, so that no clocks need to be compared. */
  @Column(WHOLE)
  beat!: number;
}
