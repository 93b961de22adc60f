import { Injectable } from '@nestjs/common';
import {
  BackgroundCounts,
  PAGE_WAIT_MS,
  type MatchCount,
} from '../../../platform/common/turns/background-counts.js';
import {
  eachInTurn,
  readTurnOf,
  type Reader,
  type ReadTurn,
} from '../../../platform/common/turns.js';
import { CountedSearch } from '../../../users/search/counted-search.js';
import { Deletions } from '../../../users/deletions/deletions.js';
import type { KeptDeletion } from '../../../users/deletions/restoring-steps.js';
import { Pattern } from '../../../users/search/pattern.js';
import {
  fitsFilter,
  sortUsers,
  type UserListRequest,
} from '../../../users/list/filter-and-order.js';
import { UserList, hasIndex, selectsFew, isPlaceOf } from '../../../users/list/user-list.js';
import { SearchText } from '../../../users/search/search-text.js';
import { SimilarNames } from '../../../users/search/similar-names.js';
import { NameSearch, type NameSearchResult } from '../../../users/search/name-search.js';
import type { FoundUser } from '../../../users/user-rows.js';
import { UserSearch } from '../../../users/search/user-search.js';
import type { RelyingParty } from '../../../tenancy/relying-party.js';
import { normalizeName } from '../../../platform/validation/values/names.js';
import {
  cursorOf,
  isOffset,
  offsetIn,
  parseWalkPlace,
  walkPlaceText,
  positionOf,
  searchCursor,
  searchPlaceOf,
} from '../../list-cursors.js';
import { filterIn, orderIn, parametersOf, type UsersQuery } from './users.query.js';

export interface FoundPage {
  readonly users: readonly FoundUser[];
  readonly next?: string | undefined;
  /** For a search by words: whether more users match, and whether all names could be searched. */
  readonly byWords?: Omit<NameSearchResult, 'users' | 'next'>;
  /** If the matches are counted, all of them. */
  readonly total?: MatchCount;
  /** For users sorted in memory: how many were sorted, and whether these are all matches. */
  readonly sorted?: { readonly n: number; readonly all: boolean };
  /** If no user was found: deletions of this name that can be undone. */
  readonly deleted?: readonly KeptDeletion[];
  /** If no user was found: users with similar names. */
  readonly similar?: readonly FoundUser[];
}

const USERS_PER_PAGE = 50;
/** Time limit of a search among a million names: users of a page wait longer than programs. */
const BUDGET_MS = 400;
const USERS_PER_STATEMENT = 500;
/** Counting ends at this number of matches. */
const MAX_COUNTED = 10_000;
const MAX_SIMILAR = 5;
/** The maximum number of users found by words that are filtered or sorted. */
const MAX_BY_WORDS = 2_000;
export const MAX_IN_FILE = 10_000;
const FILE_BUDGET_MS = 2_000;

/** A search by words of names or, without `words`, by the spelling of user names. */
interface UserSearchRequest extends UserListRequest {
  readonly words: string | undefined;
  readonly plain: boolean;
}

interface PageRequest extends UserSearchRequest {
  readonly cursor: string | undefined;
  readonly turn: ReadTurn;
  /** The conditions of the view, which name its count. */
  readonly view: object;
}

/** Finds the users of a view in the fastest way: by words, by names, along an index or in memory. */
@Injectable()
export class UsersFinder {
  constructor(
    private readonly search: UserSearch,
    private readonly counted: CountedSearch,
    private readonly nameSearch: NameSearch,
    private readonly list: UserList,
    private readonly deletions: Deletions,
    private readonly similarNames: SimilarNames,
    private readonly counts: BackgroundCounts,
  ) {}

  /**
   * @param rps sorted by domain
   * @throws ApiError E0045R for a cursor that no page of the view had
   */
  async page(rps: readonly RelyingParty[], query: UsersQuery, turn: ReadTurn): Promise<FoundPage> {
    const found = await this.found(rps, query, turn);
    const { filter, cursor } = query;
    if (found.users.length > 0 || filter === undefined || cursor !== undefined) return found;
    const name = normalizeName(filter).trim();
    const deleted = await this.deletions.ofNameAtAny(rps, name);
    if (filter.includes('*')) return { ...found, deleted };
    const similar = await this.similarNames.find(rps, name, { limit: MAX_SIMILAR, turn });
    return { ...found, deleted, similar };
  }

  private found(
    rps: readonly RelyingParty[],
    query: UsersQuery,
    turn: ReadTurn,
  ): Promise<FoundPage> {
    const { cursor } = query;
    const view = { ...parametersOf(query), sort: undefined };
    const request = { ...searchRequestIn(query), cursor, turn, view };
    if (request.words !== undefined) return this.byWords(rps, request, request.words);
    if (request.plain) return this.byNames(rps, request);
    if (!hasIndex(request)) return this.inMemory(rps, request);
    if (request.filter.cannotSignIn && request.order) return this.fewSorted(rps, request);
    return this.alongIndex(rps, request);
  }

  /** Yields a view's users slice by slice, each when its turn comes; a search by words has at most `MAX_IN_FILE`. */
  async *slices(
    rps: readonly RelyingParty[],
    query: UsersQuery,
    reader: Reader,
  ): AsyncGenerator<readonly FoundUser[], void> {
    const request = searchRequestIn(query);
    if (request.words !== undefined) {
      const span = { limit: MAX_IN_FILE, budgetMs: FILE_BUDGET_MS, turn: readTurnOf(reader) };
      const { users } = await this.nameSearch.find(rps, request.words, span);
      yield arranged(users, request);
      return;
    }
    if (request.plain)
      return yield* eachInTurn(reader, this.search.slices(rps, request, USERS_PER_STATEMENT));
    const { order, ...unordered } = request;
    const listed = hasIndex(request) ? { ...unordered, order } : unordered;
    yield* eachInTurn(reader, this.list.slices(rps, listed, USERS_PER_STATEMENT));
  }

  private async byWords(
    rps: readonly RelyingParty[],
    request: PageRequest,
    words: string,
  ): Promise<FoundPage> {
    const { cursor, turn } = request;
    if (!request.order && request.plain) {
      const from = cursor === undefined ? undefined : searchPlaceOf(cursor);
      const { users, next, ...byWords } = await this.nameSearch.find(rps, words, {
        limit: USERS_PER_PAGE,
        from,
        turn,
      });
      return { users, byWords, next: next && searchCursor(next) };
    }
    const span = { limit: MAX_BY_WORDS, budgetMs: BUDGET_MS, turn };
    const { users, more, complete } = await this.nameSearch.find(rps, words, span);
    const page = pageOf(arranged(users, request), !more, cursor);
    return { ...page, byWords: { more: false, complete } };
  }

  private async byNames(
    rps: readonly RelyingParty[],
    { name, cursor, turn }: PageRequest,
  ): Promise<FoundPage> {
    const after = cursor === undefined ? undefined : positionOf(cursor);
    const span = { limit: USERS_PER_PAGE, after, budgetMs: BUDGET_MS, turn };
    const { users, next, ...total } = await this.counted.page(rps, { name }, span);
    return { users, next: next && cursorOf(next), total };
  }

  private async alongIndex(rps: readonly RelyingParty[], request: PageRequest): Promise<FoundPage> {
    const { cursor, turn } = request;
    const from = cursor === undefined ? undefined : parseWalkPlace(cursor, isPlaceOf(request));
    const { users, next } = await this.list.page(rps, request, {
      limit: USERS_PER_PAGE,
      from,
      turn,
    });
    if (!from && !next) return { users, total: { total: users.length, exact: true } };
    const { total, exact } = await turn(() => this.count(rps, request));
    const counted = { total: Math.max(total, users.length), exact };
    return { users, next: next && walkPlaceText(next), total: counted };
  }

  private count(rps: readonly RelyingParty[], request: PageRequest): Promise<MatchCount> {
    const { list } = this;
    return this.counts.of({
      key: ['users', rps.map(({ domain }) => domain), request.view],
      most: MAX_COUNTED,
      waitMs: PAGE_WAIT_MS,
      async *slices() {
        const slices = list.slices(rps, { ...request, order: undefined }, USERS_PER_STATEMENT);
        for await (const users of slices) yield users.length;
      },
    });
  }

  /**
   * Users who cannot sign in: a few are sorted, since a walk in their order would pass all others; many are met soon
   * on such a walk.
   */
  private async fewSorted(rps: readonly RelyingParty[], request: PageRequest): Promise<FoundPage> {
    const { cursor } = request;
    if (cursor !== undefined && !isOffset(cursor)) return this.alongIndex(rps, request);
    const found = await this.inMemory(rps, request);
    const { sorted, ...page } = found;
    if (sorted?.all) return { ...page, total: { total: sorted.n, exact: true } };
    return cursor === undefined ? this.alongIndex(rps, request) : found;
  }

  private async inMemory(rps: readonly RelyingParty[], request: PageRequest): Promise<FoundPage> {
    const { users, all } = await this.list.sorted(rps, request, request.turn);
    return pageOf(users, all, request.cursor);
  }
}

/**
 * Reads the search of a view: words of names or, if there are none or one contains an asterisk, the spelling of the
 * user name.
 */
function searchRequestIn(query: UsersQuery): UserSearchRequest {
  const text = query.filter?.trim() ?? '';
  const filter = filterIn(query);
  const order = orderIn(query);
  const conditions = { filter: filter ?? {}, order };
  const searchText = new SearchText(text);
  if (!searchText.hasWords || text.includes('*')) {
    const plain = !filter && (!order || (order.by === 'name' && !order.descending));
    const name = new Pattern(text.includes('*') ? text : `${text}*`);
    return { ...conditions, name, words: undefined, plain };
  }
  // A walk along the users whom such a condition selects needs no index of words.
  const words = filter && selectsFew(filter) ? undefined : text;
  const called = (user: { username: string; displayName: string }) => searchText.fits(user);
  const name = new Pattern('*');
  return { ...conditions, name, called, words, plain: !filter };
}

function arranged(
  users: readonly FoundUser[],
  { filter, order }: UserSearchRequest,
): readonly FoundUser[] {
  const fitting = users.filter((user) => fitsFilter(filter, user));
  return order ? sortUsers(fitting, order) : fitting;
}

function pageOf(users: readonly FoundUser[], all: boolean, cursor: string | undefined): FoundPage {
  const from = offsetIn(cursor);
  const to = from + USERS_PER_PAGE;
  return {
    users: users.slice(from, to),
    next: to < users.length ? String(to) : undefined,
    sorted: { n: users.length, all },
  };
}
