import { Controller, Get, Query, UseGuards } from '@nestjs/common';
import { NameSearch } from '../../users/search/name-search.js';
import { ok } from '../../platform/http/ok.js';
import { ForReader, Operation } from '../../platform/http/openapi/operation.js';
import { PlainParametersGuard } from '../../platform/http/body/parameters.guard.js';
import { Allow, OpenToKeys } from '../../platform/access/allow.js';
import { CurrentScope, Scoped } from '../../tenancy/scope/scope.interceptor.js';
import type { AdminScope } from '../../tenancy/scope/scope.interceptor.js';
import { AuthenticatorModels } from '../../trust/authenticator-models.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { userJson } from '../manage-users/user-json.js';
import { SearchAnswer } from './search.answer.js';
import { SearchQuery } from './search.query.js';

/** Finds people by words of their names, as they say them on the phone. */
@ForReader('help desk')
@Scoped()
@Allow('users:read')
@OpenToKeys()
@Controller('userapi/users')
export class SearchController {
  constructor(
    private readonly people: NameSearch,
    private readonly models: AuthenticatorModels,
  ) {}

  @Get()
  @UseGuards(PlainParametersGuard)
  @Operation('searchUsers', 'Finds users by words of their names, whatever the case and accents', {
    answers: SearchAnswer,
  })
  async search(
    @Query(DtoPipe) { search, limit }: SearchQuery,
    @CurrentScope() { relyingParties }: AdminScope,
  ): Promise<SearchAnswer> {
    const { users, ...found } = await this.people.find(relyingParties, search, { limit });
    return ok({ users: users.map((user) => userJson(user, this.models)), ...found });
  }
}
