import { Injectable } from '@nestjs/common';
import { takeTurn, type Reader } from '../../platform/common/turns/read-turns.js';
import { ok } from '../../platform/http/ok.js';
import { JsonStream, withFirstItem } from '../../platform/http/text-file.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { AuthenticatorModels } from '../../trust/authenticator-models.js';
import { CountedSearch } from '../../users/search/counted-search.js';
import { UserSearch, type SearchCriterion } from '../../users/search/user-search.js';
import { cursorOf } from '../list-cursors.js';
import { userJson, type ListAnswer, type UserView } from './manage-users.answer.js';
import type { ListUsersQuery, ManageUsersDto } from './manage-users.dto.js';

/** Users on a page if the request has a cursor but no limit. */
const DEFAULT_LIMIT = 100;
/** Other tasks run between statements. */
const USERS_PER_STATEMENT = 200;

type Slices = AsyncIterable<readonly UserView[]>;

/**
 * All matching users as JSON, streamed while they are read, so that memory contains one slice. Reading stops
 * when the caller disconnects. If the database fails, the connection is aborted, so that callers do not take a
 * part for the whole. `total` follows the users, since it is counted on the way.
 */
export class WholeList extends JsonStream {
  /** @param slices read once: as JSON, or by the writer of another format */
  constructor(
    readonly slices: Slices,
    reader: Reader,
  ) {
    super(reader, (warnings) => jsonOf(slices, warnings));
  }
}

async function* jsonOf(slices: Slices, warnings: readonly string[]): AsyncGenerator<string> {
  let total = 0;
  yield '{"status":"ok","errorMessage":"","users":[';
  for await (const users of slices) {
    const separator = total === 0 || users.length === 0 ? '' : ',';
    // A line end for each slice, including empty ones, shows that a long search is in progress.
    yield `${separator}${users.map((user) => JSON.stringify(user)).join()}\n`;
    total += users.length;
  }
  const more = warnings.length > 0 ? `,"warnings":${JSON.stringify(warnings)}` : '';
  yield `],"total":${total},"next":null${more}}`;
}

/** Finds users with their keys, for `manageusers` and `/users`. */
@Injectable()
export class UserListing {
  constructor(
    private readonly search: UserSearch,
    private readonly counted: CountedSearch,
    private readonly models: AuthenticatorModels,
  ) {}

  /** A page of the matching users, or all of them if the request contains neither limit nor cursor. */
  async find(
    rps: readonly RelyingParty[],
    query: ListUsersQuery | ManageUsersDto,
    reader: Reader,
  ): Promise<ListAnswer | WholeList> {
    const { limit, cursor: after } = query;
    const criterion = query.criterion();
    if (limit === undefined && after === undefined) {
      const slices = await withFirstItem(reader, this.allSlices(rps, criterion));
      return new WholeList(slices, reader);
    }
    const span = { limit: limit ?? DEFAULT_LIMIT, after };
    return takeTurn(reader, async () => {
      const { users, next, total, exact } = await this.counted.page(rps, criterion, span);
      return ok({
        total,
        ...(exact ? {} : { totalExact: false as const }),
        users: users.map((user) => userJson(user, this.models)),
        next: next ? cursorOf(next) : null,
      });
    });
  }

  private async *allSlices(rps: readonly RelyingParty[], criterion: SearchCriterion) {
    for await (const users of this.search.slices(rps, criterion, USERS_PER_STATEMENT)) {
      yield users.map((user) => userJson(user, this.models));
    }
  }
}
