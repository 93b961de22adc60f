import { Body, Get, Patch, Query, UseGuards } from '@nestjs/common';
import { IsString, ValidateIf } from 'class-validator';
import { atRelyingParty, type AuditFacts } from '../audit/request-rows.js';
import { Audited, CurrentCall, type AuditedCall } from '../audit/audited.js';
import { RelyingPartyCache } from '../tenancy/scope/relying-party-cache.js';
import { NameSearch } from '../users/search/name-search.js';
import { UserRenaming, type NamedUser } from '../users/user-renaming.js';
import type { Names } from '../users/user.entity.js';
import { readTurnOf } from '../platform/common/turns/read-turns.js';
import { ApiError } from '../platform/errors/api-error.js';
import { problem } from '../platform/errors/reasons.js';
import { JsonGuard } from '../platform/http/body/request-body.js';
import { PlainParametersGuard } from '../platform/http/body/parameters.guard.js';
import { ok, OkAnswer } from '../platform/http/ok.js';
import { ApiProperty, ApiPropertyOptional } from '../platform/http/openapi/openapi.js';
import { Operation } from '../platform/http/openapi/operation.js';
import {
  IsDisplayName,
  IsKnownName,
  IsName,
  IsWithin,
  MayBeEmpty,
  MayBeText,
  ReadsNumber,
} from '../platform/validation/decorators.js';
import { DtoPipe } from '../platform/validation/dto.pipe.js';
import { Fits, isPresent } from '../platform/validation/field-validator.js';
import { displayNameOf, normalizeName } from '../platform/validation/values/names.js';
import {
  CurrentParties,
  type CallParties,
  ScopedController,
} from '../tenancy/scope/scope.interceptor.js';
import { ensureCoversMove } from '../tenancy/scope/visible-tenants.js';
import { AuthenticatorModels } from '../trust/authenticator-models.js';
import { userJson, UserView } from './manage-users/manage-users.answer.js';
import { searchCursor, searchPlaceOf } from './list-cursors.js';

/** Body of PATCH /userapi/users. */
class ChangeNamesDto {
  @ApiProperty({ example: 'alice@example.com', description: 'current user name' })
  @IsKnownName()
  username!: string;

  @ApiPropertyOptional({
    example: 'localhost',
    description: 'domain of the relying party; by default the one in the header',
  })
  @ValidateIf(isPresent)
  @IsString()
  relyingParty?: string;

  @ApiPropertyOptional({ example: 'alice.smith@example.com', description: 'new user name' })
  @ValidateIf(isPresent)
  @IsName()
  newUsername?: string;

  @ApiPropertyOptional({ example: 'Alice Smith', description: 'new display name' })
  @ValidateIf(isPresent)
  @IsDisplayName()
  displayName?: string;
}

/** Answer of PATCH /userapi/users: the names of the user after the change. */
class NamesAnswer extends OkAnswer {
  @ApiProperty({ example: 'alice.smith@example.com' })
  readonly username!: string;

  @ApiProperty({ example: 'Alice Smith' })
  readonly displayName!: string;

  @ApiProperty({ example: 'localhost', description: 'domain of the relying party' })
  readonly relyingParty!: string;

  @ApiProperty({ example: 2, description: 'number of keys of the user, which stay unchanged' })
  readonly credentials!: number;
}

/** Longer than any name. */
const MAX_CHARACTERS = 1024;
const MAX_LIMIT = 100;

const isSearch = (text: unknown): boolean =>
  typeof text === 'string' &&
  text.isWellFormed() &&
  text.length <= MAX_CHARACTERS &&
  text.trim() !== '';

/** Parameters of GET /userapi/users. */
class SearchQuery {
  @ApiProperty({
    example: 'anna andersson',
    description: 'words, or beginnings of words, of the user name or display name',
  })
  @Fits(isSearch, (field) => problem('field.search', { field, most: MAX_CHARACTERS }))
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

@ScopedController('userapi/users', { audience: 'help desk', permission: 'users:read' })
export class UsersController {
  constructor(
    private readonly relyingParties: RelyingPartyCache,
    private readonly names: UserRenaming,
    private readonly nameSearch: NameSearch,
    private readonly models: AuthenticatorModels,
  ) {}

  @Patch()
  @Audited(
    ({ body }) => ({
      action: 'user.rename',
      relyingParty: body?.relyingParty,
      target: body?.username,
    }),
    { allow: 'users:rename', guards: [JsonGuard] },
  )
  @Operation(
    'changeNames',
    'Changes the user name or the display name of a user; the keys stay unchanged',
    {
      answers: NamesAnswer,
      refuses: ['E0025R', 'E0044R', 'E0045R', 'E0052R'],
      sends: { username: 'alice@example.com', newUsername: 'alice.cooper@example.com' },
    },
  )
  async change(
    @Body(DtoPipe) dto: ChangeNamesDto,
    @CurrentParties() parties: CallParties,
    @CurrentCall() call: AuditedCall,
  ) {
    const { newUsername, displayName } = dto;
    const rp = parties.named(dto.relyingParty);
    call.about(atRelyingParty(rp));
    if (newUsername === undefined && displayName === undefined) {
      throw new ApiError('E0045R', 'user.nothingToChange');
    }
    ensureCoversMove(parties.account, rp, this.relyingParties.current);
    const wanted = {
      ...(newUsername !== undefined && { username: normalizeName(newUsername) }),
      ...(displayName !== undefined && { displayName: displayNameOf(displayName) }),
    };
    const row = call.useRowPerChange();
    const audit = (user: NamedUser) => row(renamingFacts(user, wanted));
    const renamed = await this.names.change(rp, dto.username, wanted, audit);
    if (!renamed) throw new ApiError('E0044R', 'user.unknown');
    const { users, outcome } = renamed;
    if (outcome === 'taken') throw new ApiError('E0045R', 'user.nameTaken');
    const [user] = users;
    const { username = dto.username, displayName: called = '' } = { ...user, ...wanted };
    const credentials = users.reduce((sum, one) => sum + (one.credentials?.length ?? 0), 0);
    return ok({ username, displayName: called, relyingParty: rp.domain, credentials });
  }

  @Get()
  @UseGuards(PlainParametersGuard)
  @Operation('searchUsers', 'Finds users by words of their names, regardless of case and accents', {
    answers: SearchAnswer,
  })
  async search(
    @Query(DtoPipe) { search, limit, cursor }: SearchQuery,
    @CurrentParties() { reader, relyingParties }: CallParties,
  ): Promise<SearchAnswer> {
    const span = { limit, from: cursor === undefined ? undefined : searchPlaceOf(cursor) };
    const { users, next, more, complete } = await this.nameSearch.find(relyingParties, search, {
      ...span,
      turn: readTurnOf(reader),
    });
    return ok({
      users: users.map((user) => userJson(user, this.models)),
      more,
      complete,
      next: next ? searchCursor(next) : null,
    });
  }
}

/** The audit row of a user at one relying party: during a move, each of the two domains has its own. */
function renamingFacts(user: NamedUser, wanted: Partial<Names>): AuditFacts {
  const { tenant, domain } = user.relyingParty;
  const { username: name, displayName: after } = { ...user, ...wanted };
  const detail = { before: user.displayName, after, name };
  return { tenant, relyingParty: domain, target: user.username, detail };
}
