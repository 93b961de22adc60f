import { Column, Entity, PrimaryColumn } from 'typeorm';
import { SMALL, WHOLE, fixedBytes } from '../../platform/database/entities/column-types.js';

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
