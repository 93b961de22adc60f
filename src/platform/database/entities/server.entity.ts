import { Column, Entity, PrimaryColumn } from 'typeorm';
import { WHOLE, words, SMALL, TEXT, FLAG, fixedBytes } from './column-types.js';

/** A value of a setting that a server uses, or used lately. */
@Entity('agreed_settings')
export class AgreedSetting {
  @PrimaryColumn(words(32))
  name!: string;

  @PrimaryColumn(WHOLE)
  value!: number;

  /** When a server last announced it, in milliseconds since 1970. */
  @Column(WHOLE)
  usedAt!: number;
}

/**
 * One row, created by a migration: increased by each change of tenants, relying parties, application keys, the
 * whitelist and signing keys.
 */
@Entity('directory_version')
export class CacheVersionEntity {
  @PrimaryColumn(SMALL)
  id!: number;

  @Column(WHOLE)
  version!: number;
}

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

/** A secret that all instances share. */
@Entity('secrets')
export class Secret {
  @PrimaryColumn(words(64))
  name!: string;

  @Column(TEXT)
  value!: string;
}

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
