import { Column, Entity, JoinColumn, ManyToOne, PrimaryColumn } from 'typeorm';
import { WHOLE, fixedBytes, words } from '../platform/database/entities/column-types.js';
import { Webhook } from './webhook.entity.js';

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

  /** The failure of the last attempt, in words. */
  @Column(words(100))
  failure!: string;
}
