import { ApiPropertyOptional } from '../../http/openapi.js';
import {
  EmptyIsAbsent,
  IsWholeNumber,
  MayBeText,
  Reads,
  ReadsNumber,
} from '../../validation/decorators.js';
import { Rule, code, optional } from '../../validation/field.js';
import type { Coded } from '../../validation/field.js';
import { decodeBase64Url } from '../../webauthn/base64url.js';

const MAX_LIMIT = 1000;
const ID_BYTES = 16;

const IsPlace = (options: Coded): PropertyDecorator =>
  Rule(
    'isPlace',
    options,
    (value) => Buffer.isBuffer(value) && value.length === ID_BYTES,
    'must be the "next" of an answer',
  );

/** Query of GET /userapi/findings. */
export class FindingsQuery {
  @ApiPropertyOptional({ example: 'localhost', description: 'its domain; else that of the header' })
  @MayBeText(code('E0045R'))
  relyingParty?: string;

  @ApiPropertyOptional({ type: String, description: '`next` of the page before' })
  @EmptyIsAbsent()
  @Reads((text) => (text === '' ? undefined : decodeBase64Url(text)))
  @IsPlace(optional(code('E0045R')))
  cursor?: Buffer;

  @ApiPropertyOptional({ minimum: 1, maximum: MAX_LIMIT, description: 'findings of one page' })
  @EmptyIsAbsent()
  @ReadsNumber()
  @IsWholeNumber({ min: 1, max: MAX_LIMIT }, code('E0045R'))
  limit: number = 100;
}
