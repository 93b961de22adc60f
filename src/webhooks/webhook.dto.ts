import { IsBoolean, IsString, ValidateIf } from 'class-validator';
import type { ApiPropertyOptions } from '@nestjs/swagger';
import { ApiProperty, ApiPropertyOptional } from '../platform/http/openapi/openapi.js';
import { EVENT_KINDS } from '../events/event.view.js';
import type { EventKind } from '../events/event.entity.js';
import { IsDomains } from '../tenancy/tenancy.rules.js';
import { EmptyIsAbsent } from '../platform/validation/decorators.js';
import { code, isPresent } from '../platform/validation/rule.js';
import { IsEventKinds, IsWebhookUrl } from './webhook.rules.js';

const URL_PROPERTY = {
  example: 'https://app.example.com/webhooks/servicefido',
  description: 'where events are posted to; no redirect is followed',
};
const EVENTS_PROPERTY = {
  enum: EVENT_KINDS,
  isArray: true,
  example: ['registration', 'clone-alarm'],
  description: 'which kinds of events',
};
const PARTIES_PROPERTY: ApiPropertyOptions = {
  type: [String],
  example: ['localhost'],
  description: "domains; without it all of the tenant's, future ones too",
};

/** Body of POST /tenantapi/webhooks. */
export class CreateWebhookDto {
  @ApiProperty({ example: 'default', description: 'whose events' })
  @IsString(code('E0045R'))
  tenant!: string;

  @ApiProperty(URL_PROPERTY)
  @IsWebhookUrl(code('E0045R'))
  url!: string;

  @ApiProperty(EVENTS_PROPERTY)
  @IsEventKinds(code('E0045R'))
  events!: EventKind[];

  @ApiPropertyOptional(PARTIES_PROPERTY)
  @ValidateIf(isPresent)
  @IsDomains(code('E0045R'))
  relyingParties?: string[];
}

/** Body of PATCH /tenantapi/webhooks/:id. */
export class ChangeWebhookDto {
  @ApiPropertyOptional(URL_PROPERTY)
  @ValidateIf(isPresent)
  @IsWebhookUrl(code('E0045R'))
  url?: string;

  @ApiPropertyOptional(EVENTS_PROPERTY)
  @ValidateIf(isPresent)
  @IsEventKinds(code('E0045R'))
  events?: EventKind[];

  @ApiPropertyOptional(PARTIES_PROPERTY)
  @ValidateIf(isPresent)
  @IsDomains(code('E0045R'))
  relyingParties?: string[];

  @ApiPropertyOptional({ example: true, description: 'on, or off; on goes on where it stopped' })
  @ValidateIf(isPresent)
  @IsBoolean(code('E0045R'))
  enabled?: boolean;
}

/** Parameters of GET /tenantapi/webhooks. */
export class ListWebhooksQuery {
  @ApiPropertyOptional({ example: 'default' })
  @EmptyIsAbsent()
  @ValidateIf(isPresent)
  @IsString(code('E0045R'))
  tenant?: string;
}
