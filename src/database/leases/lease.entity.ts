import { Column, Entity, PrimaryColumn } from 'typeorm';
import { WHOLE, words } from '../entities/column-types.js';

/** Which of the instances does a job that is for one of them. */
@Entity('leases')
export class LeaseEntity {
  /** The job. */
  @PrimaryColumn(words(32))
  name!: string;

  /** Names a process; empty where the last one gave it back. */
  @Column(words(32))
  holder!: string;

  /** Rises whenever the holder renews it: nobody compares clocks. */
  @Column(WHOLE)
  beat!: number;
}
