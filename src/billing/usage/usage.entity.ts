import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { SMALL, WHOLE, fixedBytes } from '../../platform/database/entities/column-types.js';

/** What a relying party used on a day and had at its end; days without events have no row. */
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

  /** Distinct users from the month's first day up to this one. */
  @Column(WHOLE)
  activeUsers!: number;

  @Column(WHOLE)
  events!: number;

  /** `null` until the counting job fills it in, where the version before wrote the row. */
  @Column({ ...fixedBytes(16), nullable: true })
  tenantId!: Buffer | null;
}

/** A user who registered or signed in during a month, stored so that each counts once. */
@Entity('usage_active')
export class ActiveUser {
  /** yyyymm, UTC. */
  @PrimaryColumn(SMALL)
  month!: number;

  @PrimaryColumn(fixedBytes(16))
  relyingPartyId!: Buffer;

  @PrimaryColumn(fixedBytes(16))
  userId!: Buffer;

  /** How far events were counted when the row was added: milliseconds since 1970. */
  @Column(WHOLE)
  since!: number;

  /** `null` where an instance of the version before wrote the row. */
  @Column({ ...fixedBytes(16), nullable: true })
  tenantId!: Buffer | null;
}

/** One row: how far events are counted. It moves by compare-and-set, in the unit that stores the figures. */
@Entity('usage_progress')
export class UsageProgress {
  @PrimaryColumn(SMALL)
  id!: number;

  @Column(WHOLE)
  upto!: number;
}
