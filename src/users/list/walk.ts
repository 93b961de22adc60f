import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { TimedTurns, type ReadTurn } from '../../platform/common/turns/read-turns.js';
import type { FoundUser } from '../user-rows.js';

/** Where a walk or a search continues: at this relying party, and at this entry of the index. */
export interface WalkPlace {
  readonly domain: string;
  readonly at: Buffer;
}

export interface WalkStep {
  readonly users: readonly FoundUser[];
  /** Number of examined rows. */
  readonly examined: number;
  /** Where the next step begins; `undefined` after the last. */
  readonly next: Buffer | undefined;
}

/** An index through which users are found, a limited number of entries at a time. */
export interface IndexPath {
  readonly start: (rp: RelyingParty) => Buffer;
  /** @param most the requested number of users */
  readonly step: (rp: RelyingParty, at: Buffer, most: number) => Promise<WalkStep>;
}

export interface WalkSpan {
  readonly limit: number;
  readonly from?: WalkPlace | undefined;
  /** Number of rows after which a page ends early, even if few of them matched. */
  readonly maxExamined: number;
  /** Maximum time of all steps together, without the time that they wait for their turns. */
  readonly budgetMs?: number;
  readonly turn: ReadTurn;
}

export interface WalkPage {
  readonly users: readonly FoundUser[];
  /** `undefined` if no further user can match. */
  readonly next: WalkPlace | undefined;
}

/**
 * Reads a page of users along a path, one relying party after the other.
 *
 * @param rps in the order of their domains
 * @param fits whether a user from the path matches
 */
export async function readAlongPaths(
  rps: readonly RelyingParty[],
  path: IndexPath,
  fits: (user: FoundUser) => boolean,
  { limit, from, maxExamined, budgetMs = Infinity, turn }: WalkSpan,
): Promise<WalkPage> {
  const users: FoundUser[] = [];
  const turns = new TimedTurns(turn);
  let examined = 0;
  for (const rp of rps) {
    if (from && rp.domain < from.domain) continue;
    let at: Buffer | undefined = from?.domain === rp.domain ? from.at : path.start(rp);
    while (at) {
      const place: Buffer = at;
      const most = limit - users.length;
      const step: WalkStep = await turns.take(() => path.step(rp, place, most));
      users.push(...step.users.filter(fits));
      examined += step.examined;
      at = step.next;
      const enough = users.length >= limit || examined >= maxExamined || turns.tookMs >= budgetMs;
      if (at && enough) {
        return { users, next: { domain: rp.domain, at } };
      }
      // SQLite answers in the same turn of the event loop: sign-ins run in between.
      await yieldToEventLoop();
    }
    if (users.length >= limit) {
      const following = rps[rps.indexOf(rp) + 1];
      return { users, next: following && { domain: following.domain, at: path.start(following) } };
    }
  }
  return { users, next: undefined };
}
