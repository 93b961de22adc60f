import type { SharedLimiter, LimitState } from '../../platform/access/limits/shared-limiter.js';

/** The names of a caller's groups, the narrowest first; `undefined` for one that is the same as the narrower. */
type GroupNames = readonly (string | undefined)[];

/** Counts a call for each group that its caller belongs to. */
export class GroupLimits {
  /** @param limiters one for each group, the narrowest first */
  constructor(private readonly limiters: readonly SharedLimiter[]) {}

  /**
   * Counts a call until one of the groups refuses it: what a group refuses takes nothing from the wider ones.
   *
   * @param cost points that the call takes of each limit
   * @returns the use of the group that refuses, else of the one with the least left
   */
  use(names: GroupNames, cost = 1): LimitState {
    let least: LimitState = { wait: 0, left: Infinity, reset: 0 };
    for (const [n, limiter] of this.limiters.entries()) {
      const name = names[n];
      if (name === undefined) continue;
      const use = limiter.use(name, cost);
      if (use.wait > 0) return use;
      if (use.left < least.left) least = use;
    }
    return least;
  }
}
