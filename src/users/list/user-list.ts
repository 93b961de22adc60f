import { Injectable } from '@nestjs/common';
import { withoutTurns, type ReadTurn } from '../../platform/common/turns/read-turns.js';
import { Database } from '../../platform/database/database.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import type { FoundUser } from '../user-rows.js';
import { matchesName } from '../search/user-search.js';
import { fitsFilter, sortUsers, type UserListRequest } from './filter-and-order.js';
import {
  creationPath,
  namesPath,
  isCreationPlace,
  disabledKeysPath,
  groupPath,
  suspendedUsersPath,
  modelKeysPath,
} from './index-paths.js';
import { unableUsersPath } from './unable-users.js';
import {
  readAlongPaths,
  type IndexPath,
  type WalkPlace,
  type WalkPage,
  type WalkSpan,
} from './walk.js';

/** A page ends early after `MAX_EXAMINED` rows, and after `BUDGET_MS` unless the span says otherwise. */
type ListSpan = Omit<WalkSpan, 'maxExamined'>;

/** A page ends early after this many rows or milliseconds if few of the rows match. */
const MAX_EXAMINED = 50_000;
const BUDGET_MS = 400;
/** The same for a page of all users, which is read at once. */
const PART_MS = 30;
/** Maximum number of users that are sorted in memory, for an order without an index. */
const MAX_SORTED = 2_000;
const SORTING_MS = 1_000;

/**
 * Lists users by conditions on their keys, through the index that finds them fastest: a group, a model's keys,
 * suspended users, disabled keys, users without a usable key, names, or times of creation. A key's last use has no
 * index, since each sign-in would have to write it. For that order the first two thousand users are sorted in memory,
 * and the answer says whether there are more.
 */
@Injectable()
export class UserList {
  constructor(private readonly database: Database) {}

  /**
   * A page in the order of an index. A full page is followed by a look for one more user, so that no link leads to an
   * empty page.
   *
   * @param rps in the order of their domains
   */
  async page(
    rps: readonly RelyingParty[],
    request: UserListRequest,
    span: ListSpan,
  ): Promise<WalkPage> {
    const page = await this.walk(rps, request, span);
    if (!page.next || page.users.length < span.limit) return page;
    const one = { ...span, from: page.next, limit: 1 };
    const { users: further, next } = await this.walk(rps, request, one);
    return further.length > 0 ? page : { ...page, next };
  }

  /** All users, slice by slice, some of them empty if few match; a slice is read when the caller requests it. */
  async *slices(rps: readonly RelyingParty[], request: UserListRequest, limit: number) {
    let from: WalkPlace | undefined;
    do {
      const span = { limit, from, budgetMs: PART_MS, turn: withoutTurns };
      const { users, next }: WalkPage = await this.walk(rps, request, span);
      yield users;
      from = next;
    } while (from);
  }

  /** At most two thousand users, in an order for which there is no index, and whether these are all. */
  async sorted(rps: readonly RelyingParty[], request: UserListRequest, turn: ReadTurn) {
    const { order, ...unordered } = request;
    const span = { limit: MAX_SORTED, budgetMs: SORTING_MS, turn };
    const { users, next } = await this.page(rps, unordered, span);
    return { users: order ? sortUsers(users, order) : users, all: !next };
  }

  private walk(
    rps: readonly RelyingParty[],
    request: UserListRequest,
    span: ListSpan,
  ): Promise<WalkPage> {
    const bounds = { maxExamined: MAX_EXAMINED, budgetMs: BUDGET_MS };
    return readAlongPaths(rps, this.pathOf(request), fits(request), { ...bounds, ...span });
  }

  private pathOf(request: UserListRequest): IndexPath {
    const { group, model, suspended, disabled, cannotSignIn } = request.filter;
    if (group !== undefined) return groupPath(this.database, group);
    if (model) return modelKeysPath(this.database, model);
    if (suspended) return suspendedUsersPath(this.database);
    if (disabled) return disabledKeysPath(this.database);
    if (cannotSignIn && !request.order) return unableUsersPath(this.database);
    const pathOf = isAlongCreation(request) ? creationPath : namesPath;
    return pathOf(this.database, request);
  }
}

const fits =
  ({ name, called = () => true, filter }: UserListRequest) =>
  (user: FoundUser): boolean =>
    matchesName(user, name) && called(user) && fitsFilter(filter, user);

/** Whether an index has the order; otherwise users are collected and sorted. */
export const hasIndex = ({ filter, order }: Omit<UserListRequest, 'name'>): boolean =>
  !order || (order.by !== 'used' && !selectsFew(filter));

/** Whether few users match, who are listed through an index of their own. */
export const selectsFew = ({
  group,
  model,
  suspended,
  disabled,
}: UserListRequest['filter']): boolean =>
  group !== undefined || model !== undefined || suspended === true || disabled === true;

/** Returns a check whether bytes are a place in the index through which these users are listed. */
export const isPlaceOf =
  (request: UserListRequest) =>
  (at: Buffer): boolean =>
    !isAlongCreation(request) || isCreationPlace(at);

/**
 * Whether users are listed in the order of their creation: if requested, or if no order was requested and no name
 * prefix narrows the search. Users who were created together are stored together, and are read some twenty
 * times as fast.
 */
function isAlongCreation({ name, filter, order }: UserListRequest): boolean {
  if (selectsFew(filter)) return false;
  if (order) return order.by === 'created';
  return !filter.cannotSignIn && name.from.length === 0;
}
