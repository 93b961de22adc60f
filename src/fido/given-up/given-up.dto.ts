import { IsString, ValidateIf } from 'class-validator';
import { ApiProperty, ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import { code, isPresent } from '../../platform/validation/rule.js';

/**
 * Names of the exceptions by which browsers end a prompt (W3C WebAuthn L3 §5.1.3 and §5.1.4, WebIDL's names);
 * `TimeoutError` is the SDK's word for a refusal that came when the time was over. No other name is kept.
 */
const PROMPT_ERRORS = [
  'AbortError',
  'ConstraintError',
  'InvalidStateError',
  'NotAllowedError',
  'NotSupportedError',
  'OperationError',
  'SecurityError',
  'TimeoutError',
  'UnknownError',
] as const;

const KNOWN: ReadonlySet<string> = new Set(PROMPT_ERRORS);

/** The name if it is one of these, else `other`. */
export const promptErrorOf = (name: string): string => (KNOWN.has(name) ? name : 'other');

/** Body of the calls that report a prompt that gave no key. */
export class GivenUpDto {
  @ApiProperty({
    example: 'oW5EQTcWWmVcVsCRtSZJXQOXBBHbGd1vvjhHn0w2tZs',
    description: 'as the begin call gave it: what names the ceremony',
  })
  @IsString(code('E0001R'))
  challenge!: string;

  @ApiProperty({
    enum: PROMPT_ERRORS,
    description: 'the name of the exception; whatever else it may be is counted as "other"',
  })
  @IsString(code('E0001R'))
  error!: string;

  @ApiPropertyOptional({ description: 'with an application key: as the begin call answered it' })
  @ValidateIf(isPresent)
  @IsString(code('E0001R'))
  ceremony?: string;
}
