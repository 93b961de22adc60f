import { Column, Entity, PrimaryColumn } from 'typeorm';
import { WHOLE, words } from '../entities/column-types.js';

/** Which instance does a job that only one instance may do at a time. */
@Entity('leases')
export class LeaseEntity {
  /** Name of the job. */
  @PrimaryColumn(words(32))
  name!: string;

  /** Random name of the process that holds the lease; empty after a process gave it back. */
  @Column(words(32))
  holder!: string;

  /** Rises whenever the holder renews the lease, so that no clocks need to be compared. */
  @Column(WHOLE)
  beat!: number;
}
