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
