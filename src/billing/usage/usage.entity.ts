import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { SMALL, WHOLE, fixedBytes } from '../../platform/database/entities/column-types.js';

/** The usage of a relying party on a day, and its counts at the end; days without events have no row. */
@Entity('usage_days')
@Index('ix_usage_days_day', ['day'])
export class UsageDayEntity {
  @PrimaryColumn(fixedBytes(16))
  relyingPartyId!: Buffer;

  /** Days since 1970, UTC. */
  @PrimaryColumn(SMALL)
  day!: number;

  /** yyyymm. */
  @Column(SMALL)
  month!: number;

  @Column(WHOLE)
  registrations!: number;

  @Column(WHOLE)
  authentications!: number;

  @Column(WHOLE)
  users!: number;

  @Column(WHOLE)
  enabled!: number;

  @Column(WHOLE)
  disabled!: number;

  /** Distinct users from the first day of the month up to this one. */
  @Column(WHOLE)
  activeUsers!: number;

  @Column(WHOLE)
  events!: number;

  /** `null` until the counting job fills it in, if the previous version wrote the row. */
  @Column({ ...fixedBytes(16), nullable: true })
  tenantId!: Buffer | null;
}

/** A user who registered or signed in during a month, stored so that each is counted once. */
@Entity('usage_active')
export class ActiveUser {
  /** yyyymm, UTC. */
  @PrimaryColumn(SMALL)
  month!: number;

  @PrimaryColumn(fixedBytes(16))
  relyingPartyId!: Buffer;

  @PrimaryColumn(fixedBytes(16))
  userId!: Buffer;

  /** The time up to which events were counted when the row was added: milliseconds since 1970. */
  @Column(WHOLE)
  since!: number;

  /** `null` if an instance of the previous version wrote the row. */
  @Column({ ...fixedBytes(16), nullable: true })
  tenantId!: Buffer | null;
}

/**
 * A single row with the progress of the count. It is updated by compare-and-set, in the unit that stores the
 * figures.
 */
@Entity('usage_progress')
export class UsageProgress {
  @PrimaryColumn(SMALL)
  id!: number;

  @Column(WHOLE)
  upto!: number;
}
