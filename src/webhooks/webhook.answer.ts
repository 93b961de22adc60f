import { OkAnswer } from '../platform/http/ok.js';
import { OcsfRecord } from '../platform/http/ocsf.js';
import { VERSION } from '../platform/http/versions.js';
import { ApiProperty, ApiPropertyOptional } from '../platform/http/openapi/openapi.js';
import { isoOrNull } from '../platform/validation/values/moment.js';
import type { RelyingParties } from '../tenancy/scope/relying-parties.js';
import { failureText } from './delivery/failure-words.js';
import { EventMessage } from './delivery/message-content.js';
import {
  WEBHOOK_FORMATS,
  WEBHOOK_KINDS,
  type WebhookFormat,
  type WebhookKind,
} from './webhook-kinds.js';
import type { TenantWebhook } from './webhook-rows.js';

/** The states of a webhook; `WebhookView.state` explains them. */
const WEBHOOK_STATES = ['well', 'failing', 'off', 'given-up'] as const;

/** A property that is a time or `null`. */
const Moment = (description: string): PropertyDecorator =>
  ApiProperty({ type: String, format: 'date-time', nullable: true, description });

/** A webhook in an answer, without its secrets. */
export class WebhookView {
  @ApiProperty({ example: 'AZqW1nYkcP2y8uGd4yQ2oQ' })
  readonly id!: string;

  @ApiProperty({ example: 'default' })
  readonly tenant!: string;

  @ApiProperty({ example: 'https://app.example.com/webhooks/servicefido' })
  readonly url!: string;

  @ApiProperty({ enum: WEBHOOK_KINDS, isArray: true, example: ['registration'] })
  readonly events!: WebhookKind[];

  @ApiProperty({ enum: WEBHOOK_FORMATS, example: 'servicefido' })
  readonly format!: WebhookFormat;

  @ApiProperty({
    type: [String],
    nullable: true,
    example: ['localhost'],
    description: 'domains of the relying parties; null: all of the tenant',
  })
  readonly relyingParties!: string[] | null;

  @ApiProperty({
    enum: WEBHOOK_STATES,
    description:
      'failing: attempts are repeated; off: switched off by an account; given-up: no message ' +
      'arrived for three days, or the receiver answered 410 (gone)',
  })
  readonly state!: (typeof WEBHOOK_STATES)[number];

  @ApiProperty(VERSION)
  readonly version!: number;

  @ApiProperty({ format: 'date-time' })
  readonly createdAt!: string;

  @ApiProperty({ example: 'admin' })
  readonly createdBy!: string;

  @Moment('time of the last delivery')
  readonly deliveredAt!: string | null;

  @Moment('start of the current period without any delivery')
  readonly failingSince!: string | null;

  @Moment('time of the last failed attempt')
  readonly failedAt!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'the receiver answered 500',
    description: 'error of the last failed attempt',
  })
  readonly failure!: string | null;

  @Moment('time of the next attempt, while attempts fail')
  readonly nextAttemptAt!: string | null;

  @ApiProperty({
    example: 0,
    description:
      'number of messages set aside, because the receiver refused them for an hour while it ' +
      'accepted others',
  })
  readonly setAside!: number;

  @Moment('time until which messages are also signed with the former secret')
  readonly formerSecretUntil!: string | null;
}

export class WebhooksAnswer extends OkAnswer {
  @ApiProperty({ type: [WebhookView], description: 'webhooks, newest first' })
  readonly webhooks!: WebhookView[];
}

export class WebhookAnswer extends OkAnswer {
  @ApiProperty({ type: WebhookView })
  readonly webhook!: WebhookView;
}

export class WebhookSecretAnswer extends WebhookAnswer {
  @ApiProperty({
    example: 'whsec_plJ3nmyCDGBKInavdOK15jsl1qTyaHgM2uHTJ5tFyGw=',
    description: 'secret for the receiver; shown only once',
  })
  readonly secret!: string;
}

export class WebhookTestAnswer extends OkAnswer {
  @ApiProperty({ example: true })
  readonly arrived!: boolean;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'error of the test, or null',
  })
  readonly failure!: string | null;
}

export class SetAsideView {
  @ApiProperty({ format: 'date-time' })
  readonly setAsideAt!: string;

  @ApiProperty({
    example: 'the receiver answered 500',
    description: 'error of the last attempt',
  })
  readonly failure!: string;

  @ApiProperty({
    type: EventMessage,
    nullable: true,
    description: 'body of the refused message; null if its event is no longer stored, and for OCSF',
  })
  readonly message!: EventMessage | null;

  @ApiPropertyOptional({
    type: OcsfRecord,
    description: 'body of the refused message, only of a webhook with the format `ocsf`',
  })
  readonly record?: OcsfRecord;
}

export class SetAsideAnswer extends OkAnswer {
  @ApiProperty({
    type: 'integer',
    example: 4711,
    description:
      'version number, which rises with each further message; the ETag is this number in quotes',
  })
  readonly version!: number;

  @ApiProperty({
    type: [SetAsideView],
    description: 'messages set aside, in the order of their events',
  })
  readonly setAside!: SetAsideView[];
}

export function webhookView(webhook: TenantWebhook, relyingParties: RelyingParties): WebhookView {
  const { url, events, createdBy, failure, setAside, formerUntil } = webhook;
  const state = webhookStateOf(webhook);
  return {
    id: webhook.id.toString('base64url'),
    tenant: webhook.tenant.name,
    url,
    events,
    format: webhook.format ?? 'servicefido',
    relyingParties: relyingParties.domainsOf(webhook.relyingParties),
    state,
    createdBy,
    failure: failure === null ? null : failureText(failure),
    setAside,
    version: webhook.changedAt,
    createdAt: new Date(webhook.createdAt).toISOString(),
    deliveredAt: isoOrNull(webhook.deliveredAt),
    failingSince: isoOrNull(webhook.failingSince),
    failedAt: isoOrNull(webhook.failedAt),
    nextAttemptAt: state === 'failing' ? isoOrNull(webhook.dueAt) : null,
    formerSecretUntil: isoOrNull(formerUntil),
  };
}

/** The state of a webhook. One that an administrator switched off is `off`, regardless of its previous state. */
export function webhookStateOf({ offSince, failingSince }: TenantWebhook): WebhookView['state'] {
  if (offSince !== null) return failingSince === null ? 'off' : 'given-up';
  return failingSince === null ? 'well' : 'failing';
}
