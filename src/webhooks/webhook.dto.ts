import { IsBoolean, IsIn, IsString, ValidateIf } from 'class-validator';
import { ApiProperty, ApiPropertyOptional } from '../platform/http/openapi/openapi.js';
import { MayChangeRelyingParties, MayNameRelyingParties } from '../tenancy/tenancy.validators.js';
import { MayBeEmpty, isListOf, isOneOf } from '../platform/validation/decorators.js';
import { isPresent, FieldValidator } from '../platform/validation/field-validator.js';
import { problem } from '../platform/errors/reasons.js';
import { webAddress } from '../platform/validation/values/domain.js';
import {
  WEBHOOK_FORMATS,
  WEBHOOK_KINDS,
  type WebhookFormat,
  type WebhookKind,
} from './webhook-kinds.js';

const MAX_URL = 2048;

export const IsWebhookUrl = FieldValidator('isWebhookUrl', isWebhookUrl, (field) =>
  problem('field.webhookUrl', { field, most: MAX_URL }),
);

function isWebhookUrl(value: unknown): boolean {
  const hasBlankOrFragment = /[\s#]/.test(String(value));
  return webAddress(value, MAX_URL) !== undefined && !hasBlankOrFragment;
}

export const IsWebhookKinds = FieldValidator(
  'isWebhookKinds',
  (value) =>
    isListOf(value, (item) => isOneOf(WEBHOOK_KINDS, item), {
      min: 1,
      max: WEBHOOK_KINDS.length,
      unique: true,
    }),
  (field) => problem('field.someOf', { field, words: WEBHOOK_KINDS.join(', ') }),
);

const URL_PROPERTY = {
  example: 'https://app.example.com/webhooks/servicefido',
  description: 'URL to which events are posted; redirects are not followed',
};
const EVENTS_PROPERTY = {
  enum: WEBHOOK_KINDS,
  isArray: true,
  example: ['registration', 'clone-alarm', 'audit.*'],
  description: 'kinds of events to send; `audit.*`: all rows of the audit trail',
};

const FORMAT_PROPERTY = {
  enum: WEBHOOK_FORMATS,
  example: 'servicefido',
  description: 'form of the messages; `ocsf`: the body is a record of OCSF',
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
  @IsWebhookKinds()
  events!: WebhookKind[];

  @ApiPropertyOptional(FORMAT_PROPERTY)
  @ValidateIf(isPresent)
  @IsIn(WEBHOOK_FORMATS)
  format?: WebhookFormat;

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
  @IsWebhookKinds()
  events?: WebhookKind[];

  @ApiPropertyOptional(FORMAT_PROPERTY)
  @ValidateIf(isPresent)
  @IsIn(WEBHOOK_FORMATS)
  format?: WebhookFormat;

  @MayChangeRelyingParties()
  relyingParties?: string[] | null;

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
