import { ValidateIf } from 'class-validator';
import { Transform } from 'class-transformer';
import type { EventKind } from '../../events/event.entity.js';
import { IsDomains } from '../../tenancy/tenancy.rules.js';
import { code, isPresent } from '../../platform/validation/rule.js';
import { IsEventKinds, IsWebhookUrl } from '../webhook.rules.js';

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
  @ValidateIf(isPresent)
  @IsDomains(code('E0045R'))
  relyingParties?: string[];
}
