import { Get, Query, UseGuards } from '@nestjs/common';
import { NameSearch } from '../users/search/name-search.js';
import { turnsOf } from '../platform/common/turns.js';
import { ok, OkAnswer } from '../platform/http/ok.js';
import { Operation } from '../platform/http/openapi/operation.js';
import { PlainParametersGuard } from '../platform/http/body/parameters.guard.js';
import {
  CurrentScope,
  type AdminScope,
  ScopedController,
} from '../tenancy/scope/scope.interceptor.js';
import { AuthenticatorModels } from '../trust/authenticator-models.js';
import { DtoPipe } from '../platform/validation/dto.pipe.js';
import { ApiProperty, ApiPropertyOptional } from '../platform/http/openapi/openapi.js';
import { problem } from '../platform/errors/reasons.js';
import { IsWithin, MayBeEmpty, MayBeText, ReadsNumber } from '../platform/validation/decorators.js';
import { FieldValidator } from '../platform/validation/field-validator.js';
import { userJson, UserView } from './manage-users/manage-users.answer.js';
import { searchCursor, searchPlaceOf } from './list-cursors.js';

/** Longer than any name. */
const MAX_CHARACTERS = 1024;
const MAX_LIMIT = 100;

const IsSearch = FieldValidator(
  'isSearch',
  (text) =>
    typeof text === 'string' &&
    text.isWellFormed() &&
    text.length <= MAX_CHARACTERS &&
    text.trim() !== '',
  (field) => problem('field.search', { field, most: MAX_CHARACTERS }),
);

/** Parameters of GET /userapi/users. */
class SearchQuery {
  @ApiProperty({
    example: 'anna andersson',
    description: 'words, or beginnings of words, of the user name or display name',
  })
  @IsSearch()
  search!: string;

  @ApiPropertyOptional({
    type: 'integer',
    minimum: 1,
    maximum: MAX_LIMIT,
    default: 20,
    description: 'maximum number of users',
  })
  @MayBeEmpty()
  @ReadsNumber()
  @IsWithin(1, MAX_LIMIT)
  limit = 20;

  @ApiPropertyOptional({ example: '', description: '`next` from the previous answer' })
  @MayBeText()
  cursor?: string;
}

class SearchAnswer extends OkAnswer {
  @ApiProperty({ type: [UserView], description: 'matching users, best matches first' })
  readonly users!: readonly UserView[];

  @ApiProperty({
    example: false,
    description: 'whether there are, or may be, more matches; add a word to narrow the search',
  })
  readonly more!: boolean;

  @ApiProperty({
    example: true,
    description: '`false` while names are still being indexed: a user who is not found may exist',
  })
  readonly complete!: boolean;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description:
      '`cursor` with which to continue a search that ran out of time; `null` if it is finished',
  })
  readonly next!: string | null;
}

/** Finds users by words of their names, for example as given on the phone. */
@ScopedController('userapi/users', { audience: 'help desk', permission: 'users:read' })
export class SearchController {
  constructor(
    private readonly nameSearch: NameSearch,
    private readonly models: AuthenticatorModels,
  ) {}

  @Get()
  @UseGuards(PlainParametersGuard)
  @Operation('searchUsers', 'Finds users by words of their names, regardless of case and accents', {
    answers: SearchAnswer,
  })
  async search(
    @Query(DtoPipe) { search, limit, cursor }: SearchQuery,
    @CurrentScope() { reader, relyingParties }: AdminScope,
  ): Promise<SearchAnswer> {
    const span = { limit, from: cursor === undefined ? undefined : searchPlaceOf(cursor) };
    const { users, next, more, complete } = await this.nameSearch.find(relyingParties, search, {
      ...span,
      turn: turnsOf(reader),
    });
    return ok({
      users: users.map((user) => userJson(user, this.models)),
      more,
      complete,
      next: next ? searchCursor(next) : null,
    });
  }
}
