import { Column, Entity, Index, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import {
  JSON_TEXT,
  SMALL,
  TEXT,
  WHOLE,
  fixedBytes,
  words,
  type Json,
} from '../platform/database/entities/column-types.js';
import { Tenant } from '../tenancy/tenant.entity.js';
import type { WebhookFormat, WebhookKind } from './webhook-kinds.js';

/** One of the last attempts to deliver a message, without its content. */
export interface Attempt {
  /** When it began, in milliseconds since 1970. */
  readonly at: number;
  /** How long it took, in milliseconds. */
  readonly tookMs: number;
  /** The status of the answer, `HTTP 204`, or the code of the failure, as in `Webhook.failure`. */
  readonly outcome: string;
  readonly arrived: boolean;
  /** The kind of the event, or that of an audit row (`auditKind`). */
  readonly kind: string;
  /** The number of the event or of the audit row. */
  readonly number: number;
}

/** An address that receives a tenant's events and audit rows, and the numbers of the last that arrived. */
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
  events!: Json<WebhookKind[]>;

  /** The form of the messages; `null` for `servicefido`. */
  @Column({ ...words(16), nullable: true })
  format!: WebhookFormat | null;

  /** Row IDs of the relying parties, Base64URL; `null` for all of the tenant, including future ones. */
  @Column({ ...JSON_TEXT, nullable: true })
  relyingParties!: Json<string[]> | null;

  /** The sealed secret with which messages are signed. */
  @Column({ ...TEXT, select: false })
  secret!: string;

  /** The former secrets, separated by blanks and sealed; messages are also signed with them for a while. */
  @Column({ ...TEXT, nullable: true, select: false })
  formerSecret!: string | null;

  /** Until when messages are also signed with the former secrets. */
  @Column({ ...WHOLE, nullable: true })
  formerUntil!: number | null;

  @Column(WHOLE)
  createdAt!: number;

  /** The name of the account that added it. */
  @Column(words(255))
  createdBy!: string;

  /** The number of the event up to which all were delivered. */
  @Column({ ...WHOLE, name: 'told' })
  deliveredUpTo!: number;

  /** The number of the row of the audit trail up to which all were delivered; `null` if it wants none. */
  @Column({ ...WHOLE, name: 'audit_told', nullable: true })
  auditUpTo!: number | null;

  /** The time of the next attempt: nothing is sent earlier. */
  @Column(WHOLE)
  dueAt!: number;

  /** The number of consecutive failed attempts. */
  @Column(SMALL)
  failures!: number;

  /** The time of the first of these attempts; `null` while none fails. */
  @Column({ ...WHOLE, nullable: true })
  failingSince!: number | null;

  /** The failure of the last failed attempt: a code such as `ECONNRESET`, or the status of the answer. */
  @Column({ ...words(100), nullable: true })
  failure!: string | null;

  @Column({ ...WHOLE, nullable: true })
  failedAt!: number | null;

  @Column({ ...WHOLE, nullable: true })
  deliveredAt!: number | null;

  /** The last fifty attempts, newest first; `null` before the first. */
  @Column({ ...JSON_TEXT, nullable: true, select: false })
  attempts!: Json<Attempt[]> | null;

  /** When it was switched off, by an administrator or because nothing arrived; `null` while it is on. */
  @Column({ ...WHOLE, nullable: true })
  offSince!: number | null;

  /** The number of set-aside messages that are still on the list. */
  @Column({ ...SMALL, default: 0 })
  setAside!: number;

  /** The version: increases with each change by an administrator, but not with deliveries. */
  @Column({ ...WHOLE, default: 0 })
  changedAt!: number;
}

/** A message that was set aside, since its receiver refused it for long while other messages arrived. */
@Entity('set_aside_messages')
export class SetAsideMessage {
  @PrimaryColumn(fixedBytes(16))
  webhookId!: Buffer;

  @ManyToOne(() => Webhook, { onDelete: 'CASCADE' })
  @JoinColumn({ name: 'webhook_id', foreignKeyConstraintName: 'fk_set_aside_messages_webhook' })
  webhook?: Webhook;

  @PrimaryColumn(WHOLE)
  number!: number;

  @Column(fixedBytes(16))
  eventId!: Buffer;

  @Column(WHOLE)
  at!: number;

  /** Why the last attempt failed, as in `Webhook.failure`. */
  @Column(words(100))
  failure!: string;
}
