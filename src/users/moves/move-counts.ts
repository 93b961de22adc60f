import { Injectable } from '@nestjs/common';
import { BoundedMap, CachedValue } from '../../platform/common/caching.js';
import { TimeSlices } from '../../platform/common/pace.js';
import { Database } from '../../platform/database/database.js';
import { BEGINNING, mapKey } from '../../platform/database/row-ids.js';
import { shareText, type Text } from '../../platform/pages/languages/phrase.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import type { CollisionReason } from './move.entity.js';
import { COLLISIONS_AFTER, COUNT_MOVED, type MovedRow } from './move-decision.statements.js';
import { moveScope } from './move-scope.js';

interface MoveProgress {
  /** Number of users of the predecessor. */
  readonly users: number;
  /** Number of them with a key at the successor. */
  readonly moved: number;
  /** Number of them who are nobody at the successor. */
  readonly collisions: number;
}

export interface ShownMove extends MoveProgress {
  readonly from: string;
  readonly to: string;
  /** In percent. */
  readonly share: Text;
}

/** Some ten milliseconds on SQLite. */
const USERS_PER_STATEMENT = 5_000;
const SLICE_MS = 10;
/** Moves whose counts are cached: far more than are in progress, since each ends one day. */
const MAX_MOVES = 1_000;

/** A user of the predecessor who is nobody at the successor. */
export interface Collision {
  /** The name at the predecessor. */
  readonly username: string;
  /** Why, when it was decided. */
  readonly reason: CollisionReason;
}

/** Counts the users who have moved from a predecessor to its successor, and lists collisions. */
@Injectable()
export class MoveCounts {
  /** By the IDs of both. */
  private readonly counts = new BoundedMap<CachedValue<MoveProgress>>(MAX_MOVES);

  constructor(
    private readonly database: Database,
    private readonly relyingParties: RelyingPartyCache,
  ) {}

  /** The progress of the move to a relying party; `undefined` if it has no predecessor. */
  async progress(rp: RelyingParty): Promise<(MoveProgress & { from: string }) | undefined> {
    const predecessor = this.relyingParties.current.predecessorOf(rp);
    if (!predecessor) return undefined;
    const key = mapKey(Buffer.concat([predecessor.id, rp.id]));
    const count = this.counts.get(key) ?? new CachedValue(() => this.count(rp, predecessor));
    this.counts.set(key, count);
    return { from: predecessor.domain, ...(await count.read()) };
  }

  /** The move to or from a domain, for the pages of either. */
  async shown(domain: string): Promise<ShownMove | undefined> {
    const { current } = this.relyingParties;
    const rp = current.find(domain);
    const successor = rp && (current.predecessorOf(rp) ? rp : current.successorOf(rp));
    const move = successor && (await this.progress(successor));
    if (!move) return undefined;
    const { users, moved } = move;
    return { ...move, to: successor.domain, share: shareText(moved, users) };
  }

  /**
   * Collisions in the order in which the users of the predecessor were created.
   *
   * @param after ID of a user of the predecessor; the list begins after it
   * @returns also where the list continues; `undefined` at its end
   */
  async collisions(
    successor: RelyingParty,
    predecessor: RelyingParty,
    page: { readonly after: Buffer; readonly limit: number },
  ): Promise<{ readonly collisions: readonly Collision[]; readonly last: Buffer | undefined }> {
    const { after, limit } = page;
    // One row more than the page reveals whether there is another page.
    const params = { ...moveScope(successor, predecessor), after, limit: limit + 1 };
    const rows = await this.database.query(COLLISIONS_AFTER, params);
    const shown = rows.slice(0, limit);
    const collisions = shown.map(({ username, reason }) => ({
      username: username.toString('utf8'),
      reason,
    }));
    return { collisions, last: rows.length > limit ? shown.at(-1)?.id : undefined };
  }

  /** Reads all users slice by slice, because SQLite does nothing else while it counts. */
  private async count(successor: RelyingParty, predecessor: RelyingParty): Promise<MoveProgress> {
    const slices = new TimeSlices(SLICE_MS);
    const sum = { users: 0, moved: 0, collisions: 0 };
    const move = { ...moveScope(successor, predecessor), limit: USERS_PER_STATEMENT };
    let after: Buffer | null = BEGINNING;
    while (after) {
      const rows: MovedRow[] = await this.database.query(COUNT_MOVED, { ...move, after });
      after = null;
      for (const { users, moved, collisions, last } of rows) {
        sum.users += users;
        sum.moved += moved;
        sum.collisions += collisions;
        if (users === USERS_PER_STATEMENT) after = last;
      }
      await slices.next();
    }
    return sum;
  }
}
