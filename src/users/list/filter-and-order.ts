import type { Pattern } from '../search/pattern.js';
import type { Names } from '../user.entity.js';
import { sortKeyOf, type FoundUser } from '../user-rows.js';

/** Conditions for users besides their names; all of them must be met. */
export interface UserFilter {
  readonly neverUsed?: boolean;
  /** Exactly one enabled key, even one that a rule refuses. */
  readonly oneKey?: boolean;
  /** Users whom `canSignIn` of `sign-in-state.ts` excludes. */
  readonly cannotSignIn?: boolean;
  readonly disabled?: boolean;
  readonly suspended?: boolean;
  /** A name in NFC; only the index knows the members. */
  readonly group?: string | undefined;
  /** The AAGUID of at least one key. */
  readonly model?: Buffer | undefined;
  /** Milliseconds since 1970: no key was used at this time or later, or none ever. */
  readonly unusedSince?: number | undefined;
  /** Milliseconds since 1970: the user was created before this time. */
  readonly registeredBefore?: number | undefined;
}

export interface UserFacts {
  readonly createdAt: number;
  readonly canSignIn: boolean;
  readonly enabledKeys: number;
  readonly lastUsedAt: number | null;
}

/** Whether the facts meet the filter's conditions, except for those that need the user's row (`matchesUser`). */
export function matchesFacts(filter: UserFilter, facts: UserFacts): boolean {
  const { neverUsed, oneKey, cannotSignIn } = filter;
  const { unusedSince = Infinity, registeredBefore = Infinity } = filter;
  const { createdAt, enabledKeys, lastUsedAt } = facts;
  if (cannotSignIn && facts.canSignIn) return false;
  if (neverUsed && lastUsedAt !== null) return false;
  if (oneKey && enabledKeys !== 1) return false;
  return (lastUsedAt ?? 0) < unusedSince && createdAt < registeredBefore;
}

/** Whether the user is suspended, and has a key of the model and a disabled key, if the filter requires this. */
function matchesUser({ suspended, disabled, model }: UserFilter, user: FoundUser) {
  const { credentials, suspendedBy } = user;
  if (suspended && suspendedBy === null) return false;
  if (disabled && credentials.every(({ enabled }) => enabled)) return false;
  return !model || credentials.some(({ aaguid }) => aaguid.equals(model));
}

export const fitsFilter = (filter: UserFilter, user: FoundUser): boolean =>
  matchesFacts(filter, userFactsOf(user)) && matchesUser(filter, user);

function userFactsOf(user: FoundUser): UserFacts {
  const { createdAt, canSignIn, credentials } = user;
  const enabledKeys = credentials.filter(({ enabled }) => enabled).length;
  return { createdAt, canSignIn, enabledKeys, lastUsedAt: lastUseOf(user) ?? null };
}

/** When one of the keys was used last, in milliseconds since 1970; `undefined` for never. */
export function lastUseOf({ credentials }: Pick<FoundUser, 'credentials'>): number | undefined {
  const uses = credentials.flatMap(({ lastUsedAt }) => (lastUsedAt === null ? [] : [lastUsedAt]));
  return uses.length === 0 ? undefined : Math.max(...uses);
}

/** Columns by which a list can be sorted. */
export const SORT_COLUMNS = ['name', 'created', 'used'] as const;

export interface UserOrder {
  readonly by: (typeof SORT_COLUMNS)[number];
  readonly descending: boolean;
}

export interface UserListRequest {
  readonly name: Pattern;
  /** A further condition for the names. */
  readonly called?: (names: Names) => boolean;
  readonly filter: UserFilter;
  /** If absent: the order in which they are found fastest. */
  readonly order?: UserOrder | undefined;
}

const compare: Record<UserOrder['by'], (a: FoundUser, b: FoundUser) => number> = {
  name: (a, b) => Buffer.compare(sortKeyOf(a), sortKeyOf(b)),
  created: (a, b) => a.createdAt - b.createdAt,
  // Users who never used a key come first.
  used: (a, b) => (lastUseOf(a) ?? 0) - (lastUseOf(b) ?? 0),
};

/** Sorts the users; users with equal values are sorted by name. */
export function sortUsers(users: readonly FoundUser[], { by, descending }: UserOrder): FoundUser[] {
  const sign = descending ? -1 : 1;
  return users.toSorted((a, b) => sign * compare[by](a, b) || compare.name(a, b));
}
