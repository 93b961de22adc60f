import { Transform } from 'class-transformer';
import type { EventKind } from '../../ledger/event.entity.js';
import { IsDomains } from '../../tenancy/tenancy.rules.js';
import { code, optional } from '../../validation/field.js';
import { IsEventKinds, IsWebhookUrl } from '../../webhooks/webhook.rules.js';

/** One tick arrives as a text, several as a list. */
const ReadsTicks = (): PropertyDecorator =>
  Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? [value] : value));

/** Adds a webhook. */
export class WebhookForm {
  @IsWebhookUrl(code('E0045R'))
  url!: string;

  @ReadsTicks()
  @IsEventKinds(code('E0045R'))
  events!: EventKind[];

  @ReadsTicks()
  @IsDomains(optional(code('E0045R')))
  relyingParties?: string[];
}
