import { IsBoolean, IsString, ValidateIf } from 'class-validator';
import { ApiProperty, ApiPropertyOptional } from '../platform/http/openapi/openapi.js';
import { EVENT_KINDS, type EventKind } from '../events/event.entity.js';
import { MayNameRelyingParties } from '../tenancy/tenancy.validators.js';
import { MayBeEmpty, isListOf, isOneOf } from '../platform/validation/decorators.js';
import { isPresent, FieldValidator } from '../platform/validation/field-validator.js';
import { problem } from '../platform/errors/reasons.js';
import { webAddress } from '../platform/validation/values/domain.js';

const MAX_URL = 2048;

export const IsWebhookUrl = FieldValidator('isWebhookUrl', isWebhookUrl, (field) =>
  problem('field.webhookUrl', { field, most: MAX_URL }),
);

function isWebhookUrl(value: unknown): boolean {
  const hasBlankOrFragment = /[\s#]/.test(String(value));
  return webAddress(value, MAX_URL) !== undefined && !hasBlankOrFragment;
}

export const IsEventKinds = FieldValidator(
  'isEventKinds',
  (value) =>
    isListOf(value, (item) => isOneOf(EVENT_KINDS, item), {
      min: 1,
      max: EVENT_KINDS.length,
      unique: true,
    }),
  (field) => problem('field.someOf', { field, words: EVENT_KINDS.join(', ') }),
);

const URL_PROPERTY = {
  example: 'https://app.example.com/webhooks/servicefido',
  description: 'URL to which events are posted; redirects are not followed',
};
const EVENTS_PROPERTY = {
  enum: EVENT_KINDS,
  isArray: true,
  example: ['registration', 'clone-alarm'],
  description: 'kinds of events to send',
};

/** Body of POST /tenantapi/webhooks. */
export class CreateWebhookDto {
  @ApiProperty({
    example: 'default',
    description: 'short name of the tenant whose events are sent',
  })
  @IsString()
  tenant!: string;

  @ApiProperty(URL_PROPERTY)
  @IsWebhookUrl()
  url!: string;

  @ApiProperty(EVENTS_PROPERTY)
  @IsEventKinds()
  events!: EventKind[];

  @MayNameRelyingParties()
  relyingParties?: string[];
}

/** Body of PATCH /tenantapi/webhooks/:id. */
export class ChangeWebhookDto {
  @ApiPropertyOptional(URL_PROPERTY)
  @ValidateIf(isPresent)
  @IsWebhookUrl()
  url?: string;

  @ApiPropertyOptional(EVENTS_PROPERTY)
  @ValidateIf(isPresent)
  @IsEventKinds()
  events?: EventKind[];

  @MayNameRelyingParties()
  relyingParties?: string[];

  @ApiPropertyOptional({
    example: true,
    description: 'whether the webhook is on; switched on again, it continues where it stopped',
  })
  @ValidateIf(isPresent)
  @IsBoolean()
  enabled?: boolean;
}

/** Parameters of GET /tenantapi/webhooks. */
export class ListWebhooksQuery {
  @ApiPropertyOptional({ example: 'default' })
  @MayBeEmpty()
  @IsString()
  tenant?: string;
}
