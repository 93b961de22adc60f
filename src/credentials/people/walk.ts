import { setImmediate as turnOfOthers } from 'node:timers/promises';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import type { FoundUser } from '../user-rows.js';

/** Where a walk goes on: in this relying party, at these bytes of what it goes along. */
export interface Place {
  readonly domain: string;
  readonly at: Buffer;
}

/** One statement's part of a walk. */
export interface Step {
  readonly users: readonly FoundUser[];
  /** How many rows were looked at for them. */
  readonly looked: number;
  /** Where the next one begins; `undefined` behind the last. */
  readonly next: Buffer | undefined;
}

/** An index along which people are found, a bounded part of it at a time. */
export interface Path {
  /** Where it begins in a relying party. */
  readonly start: (rp: RelyingParty) => Buffer;
  /** @returns at most so many users */
  readonly step: (rp: RelyingParty, at: Buffer, most: number) => Promise<Step>;
}

export interface WalkSpan {
  /** Most users of a page. */
  readonly limit: number;
  readonly from?: Place | undefined;
  /** Rows, and milliseconds, after which a page ends short, where few of them fit. */
  readonly looks: number;
  readonly budgetMs?: number;
}

export interface WalkPage {
  readonly users: readonly FoundUser[];
  /** `undefined` where nothing more can match. */
  readonly next: Place | undefined;
}

/**
 * A page of the people on a path, one relying party after the other.
 *
 * @param rps in the order of their domains
 * @param fits whether a user is looked for, of what the path lets through
 */
export async function walk(
  rps: readonly RelyingParty[],
  path: Path,
  fits: (user: FoundUser) => boolean,
  { limit, from, looks, budgetMs = Infinity }: WalkSpan,
): Promise<WalkPage> {
  const users: FoundUser[] = [];
  const deadline = performance.now() + budgetMs;
  let looked = 0;
  for (const rp of rps) {
    if (from && rp.domain < from.domain) continue;
    let at: Buffer | undefined = from?.domain === rp.domain ? from.at : path.start(rp);
    while (at) {
      const step: Step = await path.step(rp, at, limit - users.length);
      users.push(...step.users.filter(fits));
      looked += step.looked;
      at = step.next;
      const enough = users.length >= limit || looked >= looks || performance.now() >= deadline;
      if (at && enough) {
        return { users, next: { domain: rp.domain, at } };
      }
      // SQLite answers within the turn: sign-ins get theirs in between.
      await turnOfOthers();
    }
    if (users.length >= limit) return { users, next: behind(rps, rp, path) };
  }
  return { users, next: undefined };
}

function behind(rps: readonly RelyingParty[], rp: RelyingParty, path: Path): Place | undefined {
  const following = rps[rps.indexOf(rp) + 1];
  return following && { domain: following.domain, at: path.start(following) };
}
