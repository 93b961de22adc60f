import { lastUseOf } from '../../../users/list/filter-and-order.js';
import type { KeyCard } from './key-card.view.js';
import type { UserOverviewData } from './user-overview.js';

/** The number of keys that the line names; further ones are counted. */
const NAMED_KEYS = 3;

/** The keys that can sign in at the relying party of the page: those of the predecessor only if there are none here. */
export function usableKeys(cards: readonly KeyCard[]): readonly KeyCard[] {
  const own = cards.filter(({ domain }) => domain === undefined);
  return (own.length > 0 ? own : cards).filter(({ usable }) => usable);
}

/** What a caller's first questions are about: whether the user can sign in, and what happened last. */
export function userState({ users, cards, entries }: UserOverviewData) {
  const [user] = users;
  if (!user) return undefined;
  const keys = usableKeys(cards).map(({ label }) => label);
  const lastUse = Math.max(...users.map((one) => lastUseOf(one) ?? 0));
  const refusal = entries.find(({ tell }) => tell !== undefined);
  return {
    canSignIn: user.canSignIn,
    /** Whether a new key would let the user sign in. */
    needsKey: !user.canSignIn && user.suspendedBy === null,
    keys: keys.slice(0, NAMED_KEYS),
    moreKeys: Math.max(keys.length - NAMED_KEYS, 0),
    lastUsed: lastUse === 0 ? undefined : new Date(lastUse).toISOString(),
    /** The latest refusal among the entries of the page. */
    refusal: refusal && { at: refusal.at, reason: refusal.reason, tell: refusal.tell },
  };
}
