import { keyOf } from '../user-rows.js';
import type { FoundUser } from '../user-rows.js';
import { lastUseOf } from './user-filter.js';

/** Columns by which a list can be sorted. */
export const COLUMNS = ['name', 'created', 'used'] as const;

/** The order of a list of people. */
export interface UserOrder {
  readonly by: (typeof COLUMNS)[number];
  readonly descending: boolean;
}

const compare: Record<UserOrder['by'], (a: FoundUser, b: FoundUser) => number> = {
  name: (a, b) => Buffer.compare(keyOf(a), keyOf(b)),
  created: (a, b) => a.createdAt - b.createdAt,
  // People who never used a key come first.
  used: (a, b) => (lastUseOf(a) ?? 0) - (lastUseOf(b) ?? 0),
};

/** Sorts the people; those with equal values are sorted by their names. */
export function inOrder(users: readonly FoundUser[], { by, descending }: UserOrder): FoundUser[] {
  const sign = descending ? -1 : 1;
  return users.toSorted((a, b) => sign * compare[by](a, b) || compare.name(a, b));
}
