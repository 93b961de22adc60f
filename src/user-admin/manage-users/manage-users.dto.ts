import { IsIn, IsString } from 'class-validator';
import { Pattern } from '../../users/search/pattern.js';
import type { Criterion, Position } from '../../users/search/user-search.js';
import { ApiPropertyOptional } from '../../platform/http/openapi/openapi.js';
import {
  EmptyIsAbsent,
  MayBeEmpty,
  Reads,
  ReadsNumber,
} from '../../platform/validation/decorators.js';
import { code } from '../../platform/validation/rule.js';
import { positionOf } from '../cursor.js';
import {
  IsDeviceFilter,
  IsLimit,
  IsPosition,
  IsUserFilter,
  ReadsPattern,
  credentialIdIn,
} from './manage-users.rules.js';
import { OPERATION_TYPES } from './operations.js';
import type { OperationType } from './operations.js';

const EVERYBODY = new Pattern('*');

/** Which users are meant, and which part of a list. Patterns may be longer than any name or credential ID. */
class UserParameters {
  @ApiPropertyOptional({
    type: String,
    example: 'anna*',
    description:
      'user name; `*` matches any characters, nothing else is special. A change needs it, but not ' +
      'one of devices whose `device` is one whole credential ID',
  })
  @EmptyIsAbsent()
  @ReadsPattern(1024)
  @IsUserFilter(code('E0045R'))
  filter?: Pattern;

  @ApiPropertyOptional({
    type: String,
    description: 'device name (`Security key*`) or credential ID, with `*` like `filter`',
  })
  @EmptyIsAbsent()
  @ReadsPattern(2048)
  @IsDeviceFilter(code('E0045R'))
  device?: Pattern;

  @ApiPropertyOptional({
    minimum: 1,
    maximum: 1000,
    description: 'users of one page; without it and `cursor`, all users that match',
  })
  @EmptyIsAbsent()
  @ReadsNumber()
  @IsLimit(code('E0045R'))
  limit?: number;

  @ApiPropertyOptional({ type: String, description: '`next` of the page before' })
  @EmptyIsAbsent()
  @Reads((text) => (text === '' ? undefined : positionOf(text)))
  @IsPosition(code('E0045R'))
  cursor?: Position;

  /** What the search looks for. */
  criterion(): Criterion {
    const { filter: name = EVERYBODY, device } = this;
    return device ? { name, device } : { name };
  }
}

/** Parameters of /users, which only lists. */
export class ListUsersQuery extends UserParameters {
  @ApiPropertyOptional({ enum: ['list'] })
  @EmptyIsAbsent()
  @IsIn(['list'], code('E0045R'))
  type = 'list' as const;
}

/** Parameters of `manageusers`, of a query or of a JSON body. */
export class ManageUsersDto extends UserParameters {
  @ApiPropertyOptional({ enum: OPERATION_TYPES, default: 'list' })
  @EmptyIsAbsent()
  @IsIn(OPERATION_TYPES, code('E0045R'))
  type: OperationType = 'list';

  @ApiPropertyOptional({ description: '`all`, for a change whose filter matches everybody' })
  @MayBeEmpty()
  @IsString(code('E0045R'))
  confirm?: string;

  /** The one credential that is meant, of any user; `undefined` where a filter names the users. */
  credentialId(): Buffer | undefined {
    return this.filter ? undefined : credentialIdIn(this.device);
  }
}
