import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import {
  JSON_TEXT,
  SMALL,
  TEXT,
  WHOLE,
  fixedBytes,
  words,
} from '../platform/database/entities/column-types.js';
import type { EventKind } from '../events/event.entity.js';
import { Tenant } from '../tenancy/tenant.entity.js';

/** An address that gets a tenant's events, and the number of the last event that arrived. */
@Entity('webhooks')
@Index('ix_webhooks_tenant', ['tenantId'])
export class Webhook {
  @PrimaryColumn(fixedBytes(16))
  id!: Buffer;

  @Column(fixedBytes(16))
  tenantId!: Buffer;

  @ManyToOne(() => Tenant, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'tenant_id', foreignKeyConstraintName: 'fk_webhooks_tenant' })
  tenant?: Tenant;

  @Column(TEXT)
  url!: string;

  @Column(JSON_TEXT)
  events!: EventKind[];

  /** IDs of the relying parties' rows, Base64URL; `null` for all of the tenant, future ones too. */
  @Column({ ...JSON_TEXT, nullable: true })
  relyingParties!: string[] | null;

  /** The secret with which messages are signed, sealed. */
  @Column({ ...TEXT, select: false })
  secret!: string;

  /** The secrets before it, separated by blanks and sealed; messages are signed with them too for a while. */
  @Column({ ...TEXT, nullable: true, select: false })
  formerSecret!: string | null;

  /** Until when messages are signed with the former secrets too. */
  @Column({ ...WHOLE, nullable: true })
  formerUntil!: number | null;

  @Column(WHOLE)
  createdAt!: number;

  /** Name of the account that added it. */
  @Column(words(255))
  createdBy!: string;

  /** The number of the event up to which all were delivered. */
  @Column({ ...WHOLE, name: 'told' })
  deliveredUpTo!: number;

  /** The time of the next attempt: nothing is sent before. */
  @Column(WHOLE)
  dueAt!: number;

  /** Attempts in a row that failed. */
  @Column(SMALL)
  failures!: number;

  /** Time of the first of these attempts; `null` while all is well. */
  @Column({ ...WHOLE, nullable: true })
  failingSince!: number | null;

  /** What was wrong with the last attempt that failed, in words. */
  @Column({ ...words(100), nullable: true })
  failure!: string | null;

  @Column({ ...WHOLE, nullable: true })
  failedAt!: number | null;

  @Column({ ...WHOLE, nullable: true })
  deliveredAt!: number | null;

  /** When it was switched off, by an administrator or because nothing arrived; `null` while it is on. */
  @Column({ ...WHOLE, nullable: true })
  offSince!: number | null;

  /** Messages that were set aside, and that nobody has taken off the list. */
  @Column({ ...SMALL, default: 0 })
  setAside!: number;

  /** Its version: rises with each change by an administrator, and not with deliveries. */
  @Column({ ...WHOLE, default: 0 })
  changedAt!: number;
}
