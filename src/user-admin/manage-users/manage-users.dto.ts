import { IsIn, IsString } from 'class-validator';
import { Pattern } from '../../users/search/pattern.js';
import type { WalkPlace } from '../../users/list/walk.js';
import type { SearchCriterion } from '../../users/search/user-search.js';
import { ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import {
  ReadsEmptyAsAbsent,
  MayBeEmpty,
  Reads,
  ReadsNumber,
} from '../../platform/validation/decorators.js';
import { isObject, CrossFieldValidator } from '../../platform/validation/field-validator.js';
import { positionOf } from '../list-cursors.js';
import { problem, type Problem } from '../../platform/errors/reasons.js';
import { decodeBase64Url } from '../../webauthn/base64url.js';
import { OPERATION_TYPES, operationOf, type OperationType } from './operations.js';

const MAX_LIMIT = 1000;

/**
 * Reads a pattern of at most `maxBytes`. Other texts are not converted: an empty one is for `ReadsEmptyAsAbsent`, a
 * longer one is refused by the validator.
 */
const patternOf = (maxBytes: number) => (text: string) =>
  text !== '' && text.isWellFormed() && Buffer.byteLength(text) <= maxBytes
    ? new Pattern(text)
    : undefined;

/** The type in the parameters, the operation of that type, and the parameters that limit the operation. */
function operationWith(parameters: object) {
  const { type, confirm, device }: { type?: unknown; confirm?: unknown; device?: unknown } =
    parameters;
  return { type: String(type), confirm, device, operation: operationOf(parameters) };
}

const isBlank = (pattern: Pattern | undefined): boolean => (pattern?.text ?? '').trim() === '';

/**
 * The minimum length of a credential ID (W3C WebAuthn L3 §4 "Credential ID"); few device names decode to that
 * many bytes.
 */
const MIN_ID_BYTES = 16;

/** The bytes of one complete credential ID; `undefined` for any other pattern. */
function credentialIdIn(device: unknown): Buffer | undefined {
  const id = device instanceof Pattern ? decodeBase64Url(device.text) : undefined;
  return id && id.length >= MIN_ID_BYTES ? id : undefined;
}

/**
 * Checks `filter`. A change requires one, unless it changes devices and `device` is a complete credential ID;
 * a filter that matches all users also requires a confirmation.
 */
const IsUserFilter = CrossFieldValidator('isUserFilter', (filter, parameters) => {
  if (!isPatternOrAbsent(filter)) return problem('field.maxBytes', { field: 'filter', most: 1024 });
  const { type, confirm, device, operation } = operationWith(parameters);
  if (!operation?.change) return undefined;
  if (!filter && operation.device && credentialIdIn(device)) return undefined;
  if (isBlank(filter)) return problem('filter.needed', { type });
  if (!filter?.matchesEverything || confirm === 'all') return undefined;
  return problem('filter.everybody');
});

/** Checks `device`: changes of devices require one; changes of users refuse it, since it would not limit them. */
const IsDeviceFilter = CrossFieldValidator('isDeviceFilter', (device, parameters) => {
  if (!isPatternOrAbsent(device)) return problem('field.maxBytes', { field: 'device', most: 2048 });
  const { type, operation } = operationWith(parameters);
  if (!operation?.change) return undefined;
  if (operation.device) {
    return isBlank(device) ? problem('filter.deviceNeeded', { type }) : undefined;
  }
  return device && problem('filter.noDevice', { type });
});

const isPatternOrAbsent = (value: unknown): value is Pattern | undefined =>
  value === undefined || value instanceof Pattern;

/** Checks a parameter that selects a part of a list: changes refuse it, since it would not limit them. */
const ForListOnly = (fits: (value: unknown) => boolean, wrong: Problem): PropertyDecorator =>
  CrossFieldValidator('forListOnly', (value, parameters) => {
    if (value === undefined) return undefined;
    const { type, operation } = operationWith(parameters);
    if (!operation?.change) return fits(value) ? undefined : wrong;
    return problem('filter.noPage', { type });
  })();

const isLimit = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_LIMIT;

const EVERYBODY = new Pattern('*');

/** Which users are selected, and which part of a list. Patterns may be longer than any name or credential ID. */
class UserParameters {
  @ApiPropertyOptional({
    type: String,
    example: 'anna*',
    description:
      'user name; `*` matches any characters, no other character is special. Required for a ' +
      'change, unless `device` is one whole credential ID',
  })
  @ReadsEmptyAsAbsent()
  @Reads(patternOf(1024))
  @IsUserFilter()
  filter?: Pattern;

  @ApiPropertyOptional({
    type: String,
    description: 'name of a key (`Security key*`) or credential ID; `*` works as in `filter`',
  })
  @ReadsEmptyAsAbsent()
  @Reads(patternOf(2048))
  @IsDeviceFilter()
  device?: Pattern;

  @ApiPropertyOptional({
    minimum: 1,
    maximum: 1000,
    description:
      'maximum number of users per page; without it and `cursor`, all matching users are listed',
  })
  @ReadsEmptyAsAbsent()
  @ReadsNumber()
  @ForListOnly(isLimit, problem('field.wholeNumber', { field: 'limit', min: 1, max: MAX_LIMIT }))
  limit?: number;

  @ApiPropertyOptional({ type: String, description: '`next` from the previous page' })
  @ReadsEmptyAsAbsent()
  @Reads((text) => (text === '' ? undefined : positionOf(text)))
  @ForListOnly(isObject, problem('cursor.wrong'))
  cursor?: WalkPlace;

  /** The criterion of the search. */
  criterion(): SearchCriterion {
    const { filter: name = EVERYBODY, device } = this;
    return device ? { name, device } : { name };
  }
}

export class ListUsersQuery extends UserParameters {
  @ApiPropertyOptional({ enum: ['list'] })
  @ReadsEmptyAsAbsent()
  @IsIn(['list'])
  type = 'list' as const;
}

/** Parameters of `manageusers`, from a query or a JSON body. */
export class ManageUsersDto extends UserParameters {
  @ApiPropertyOptional({ enum: OPERATION_TYPES, default: 'list' })
  @ReadsEmptyAsAbsent()
  @IsIn(OPERATION_TYPES)
  type: OperationType = 'list';

  @ApiPropertyOptional({
    description: '`all`, required for a change whose filter matches all users',
  })
  @MayBeEmpty()
  @IsString()
  confirm?: string;

  /** The only credential to change, of any user; `undefined` if a filter selects the users. */
  credentialId(): Buffer | undefined {
    return this.filter ? undefined : credentialIdIn(this.device);
  }
}
