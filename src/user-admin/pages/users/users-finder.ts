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
} from '../../../platform/common/turns/read-turns.js';
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
import type { Names } from '../../../users/user.entity.js';
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
import { filterIn, orderIn, parametersOf, type UsersQuery } from './users.dto.js';

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

/** What to find, and for whom. */
interface ViewRequest extends UserListRequest {
  /** Words of names or, for a search by spelling, the beginning or a pattern of user names. */
  readonly text: string;
  readonly isByWords: boolean;
  /** Whether there are conditions besides those for names. */
  readonly isFiltered: boolean;
  /** The conditions of the view, which name its count. */
  readonly view: object;
  readonly cursor: string | undefined;
  readonly reader: Reader;
  readonly turn: ReadTurn;
}

/** How a page of a view is found, and all of its users for a file or a list. */
interface Strategy {
  readonly page: () => Promise<FoundPage>;
  readonly slices: () => AsyncGenerator<readonly FoundUser[], void>;
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
  async page(rps: readonly RelyingParty[], query: UsersQuery, reader: Reader): Promise<FoundPage> {
    const request = requestOf(query, reader);
    const found = await this.strategyOf(rps, request).page();
    const { cursor, turn } = request;
    const { filter } = query;
    if (found.users.length > 0 || filter === undefined || cursor !== undefined) return found;
    const name = normalizeName(filter).trim();
    const deleted = await this.deletions.ofNameAtAny(rps, name);
    if (filter.includes('*')) return { ...found, deleted };
    const similar = await this.similarNames.find(rps, name, { limit: MAX_SIMILAR, turn });
    return { ...found, deleted, similar };
  }

  /** Yields a view's users slice by slice, each when its turn comes; a search by words has at most `MAX_IN_FILE`. */
  slices(rps: readonly RelyingParty[], query: UsersQuery, reader: Reader) {
    return this.strategyOf(rps, requestOf(query, reader)).slices();
  }

  private strategyOf(rps: readonly RelyingParty[], request: ViewRequest): Strategy {
    const { isByWords, isFiltered, filter, order, reader } = request;
    // A walk along the users whom such a condition selects needs no index of words.
    if (isByWords && !selectsFew(filter)) {
      const slices = () => this.matches(rps, request);
      return isFiltered || order
        ? { page: () => this.arrangedMatches(rps, request), slices }
        : { page: () => this.bestMatches(rps, request), slices };
    }
    const isByName = !order || (order.by === 'name' && !order.descending);
    if (!isByWords && !isFiltered && isByName) {
      const slices = () =>
        eachInTurn(reader, this.search.slices(rps, request, USERS_PER_STATEMENT));
      return { page: () => this.byNames(rps, request), slices };
    }
    const isAlongIndex = hasIndex(request);
    const list = isAlongIndex ? request : { ...request, order: undefined };
    const slices = () => eachInTurn(reader, this.list.slices(rps, list, USERS_PER_STATEMENT));
    if (!isAlongIndex) return { page: () => this.inMemory(rps, request), slices };
    return filter.cannotSignIn && order
      ? { page: () => this.fewSorted(rps, request), slices }
      : { page: () => this.alongIndex(rps, request), slices };
  }

  private async bestMatches(rps: readonly RelyingParty[], { text, cursor, turn }: ViewRequest) {
    const from = cursor === undefined ? undefined : searchPlaceOf(cursor);
    const span = { limit: USERS_PER_PAGE, from, turn };
    const { users, next, ...byWords } = await this.nameSearch.find(rps, text, span);
    return { users, byWords, next: next && searchCursor(next) };
  }

  private async arrangedMatches(rps: readonly RelyingParty[], request: ViewRequest) {
    const { text, cursor, turn } = request;
    const span = { limit: MAX_BY_WORDS, budgetMs: BUDGET_MS, turn };
    const { users, more, complete } = await this.nameSearch.find(rps, text, span);
    const page = pageOf(arranged(users, request), !more, cursor);
    return { ...page, byWords: { more: false, complete } };
  }

  private async *matches(rps: readonly RelyingParty[], request: ViewRequest) {
    const span = { limit: MAX_IN_FILE, budgetMs: FILE_BUDGET_MS, turn: request.turn };
    const { users } = await this.nameSearch.find(rps, request.text, span);
    yield arranged(users, request);
  }

  private async byNames(rps: readonly RelyingParty[], { name, cursor, turn }: ViewRequest) {
    const after = cursor === undefined ? undefined : positionOf(cursor);
    const span = { limit: USERS_PER_PAGE, after, budgetMs: BUDGET_MS, turn };
    const { users, next, ...total } = await this.counted.page(rps, { name }, span);
    return { users, next: next && cursorOf(next), total };
  }

  private async alongIndex(rps: readonly RelyingParty[], request: ViewRequest) {
    const { cursor, turn } = request;
    const from = cursor === undefined ? undefined : parseWalkPlace(cursor, isPlaceOf(request));
    const span = { limit: USERS_PER_PAGE, from, turn };
    const { users, next } = await this.list.page(rps, request, span);
    if (!from && !next) return { users, total: { total: users.length, exact: true } };
    const { total, exact } = await turn(() => this.count(rps, request));
    const counted = { total: Math.max(total, users.length), exact };
    return { users, next: next && walkPlaceText(next), total: counted };
  }

  private count(rps: readonly RelyingParty[], request: ViewRequest): Promise<MatchCount> {
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
  private async fewSorted(rps: readonly RelyingParty[], request: ViewRequest) {
    const { cursor } = request;
    if (cursor !== undefined && !isOffset(cursor)) return this.alongIndex(rps, request);
    const found = await this.inMemory(rps, request);
    const { sorted, ...page } = found;
    if (sorted?.all) return { ...page, total: { total: sorted.n, exact: true } };
    return cursor === undefined ? this.alongIndex(rps, request) : found;
  }

  private async inMemory(rps: readonly RelyingParty[], request: ViewRequest) {
    const { users, all } = await this.list.sorted(rps, request, request.turn);
    return pageOf(users, all, request.cursor);
  }
}

/**
 * Reads the search of a view: words of names or, if there are none or one contains an asterisk, the spelling of the
 * user name.
 */
function requestOf(query: UsersQuery, reader: Reader): ViewRequest {
  const text = query.filter?.trim() ?? '';
  const filter = filterIn(query);
  const searchText = new SearchText(text);
  const isByWords = searchText.hasWords && !text.includes('*');
  const beginning = text.includes('*') ? text : `${text}*`;
  return {
    name: new Pattern(isByWords ? '*' : beginning),
    ...(isByWords && { called: (names: Names) => searchText.fits(names) }),
    filter: filter ?? {},
    order: orderIn(query),
    text,
    isByWords,
    isFiltered: filter !== undefined,
    view: { ...parametersOf(query), sort: undefined },
    cursor: query.cursor,
    reader,
    turn: readTurnOf(reader),
  };
}

function arranged(users: readonly FoundUser[], { filter, order }: ViewRequest): FoundUser[] {
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
