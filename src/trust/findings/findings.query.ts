import { IsInt, Max, Min, ValidateIf } from 'class-validator';
import { problem } from '../../platform/errors/reasons.js';
import { ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import {
  EmptyIsAbsent,
  MayBeText,
  Reads,
  ReadsNumber,
} from '../../platform/validation/decorators.js';
import { Rule, code, isPresent } from '../../platform/validation/rule.js';
import type { Coded } from '../../platform/validation/rule.js';
import { decodeBase64Url } from '../../webauthn/base64url.js';

const MAX_LIMIT = 1000;
const ID_BYTES = 16;

const IsPlace = (options: Coded): PropertyDecorator =>
  Rule(
    'isPlace',
    options,
    (value) => Buffer.isBuffer(value) && value.length === ID_BYTES,
    (field) => problem('field.position', { field }),
  );

/** Query of GET /userapi/findings. */
export class FindingsQuery {
  @ApiPropertyOptional({ example: 'localhost', description: 'its domain; else that of the header' })
  @MayBeText(code('E0045R'))
  relyingParty?: string;

  @ApiPropertyOptional({ type: String, description: '`next` of the page before' })
  @EmptyIsAbsent()
  @Reads((text) => (text === '' ? undefined : decodeBase64Url(text)))
  @ValidateIf(isPresent)
  @IsPlace(code('E0045R'))
  cursor?: Buffer;

  @ApiPropertyOptional({ minimum: 1, maximum: MAX_LIMIT, description: 'findings of one page' })
  @EmptyIsAbsent()
  @ReadsNumber()
  @IsInt(code('E0045R'))
  @Min(1, code('E0045R'))
  @Max(MAX_LIMIT, code('E0045R'))
  limit: number = 100;
}
