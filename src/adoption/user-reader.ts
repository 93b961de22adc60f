import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { CachedValue } from '../platform/common/caching.js';
import { Clock } from '../platform/common/clock.js';
import { TimeSlices } from '../platform/common/pace.js';
import { Database } from '../platform/database/database.js';
import { scope } from '../platform/database/scope.js';
import { BEGINNING, NO_ID, mapKey } from '../platform/database/row-ids.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { RelyingPartyCache } from '../tenancy/scope/relying-party-cache.js';
import { Inventory } from '../users/credentials/inventory.js';
import { DAY_MS } from '../platform/common/durations.js';
import type { ProfileUsersView, UsersView } from './users.answer.js';
import {
  ARRIVED_MEMBERS_ONLY_OF_GROUP,
  COUNT_USERS_WITH_KEY,
  MEMBERS_ONLY_OF_GROUP,
  USER_OF_KEY,
  type MemberRow,
} from './adoption.statements.js';

const ACTIVE_MS = 30 * DAY_MS;
/** Some ten milliseconds on SQLite. */
const KEYS_PER_STATEMENT = 5_000;
const SLICE_MS = 10;
const END = Buffer.alloc(16, 0xff);
const NOBODY: UsersView = { total: 0, withKey: 0, active: 0 };
const MEMBERS_PER_STATEMENT = 500;
/** The maximum number of counted members of a group. */
const MAX_MEMBERS = 50_000;
/** No group has this name: a list of a statement is never empty. */
const NO_GROUP = Buffer.alloc(0);

/** Counts the users of all relying parties and of their profiles, and how many of them use keys. */
@Injectable()
export class UserReader {
  private readonly counts = new CachedValue(() => this.count());

  constructor(
    private readonly database: Database,
    readonly inventory: Inventory,
    private readonly clock: Clock,
    private readonly relyingParties: RelyingPartyCache,
  ) {}

  async read({ id }: RelyingParty): Promise<UsersView> {
    return (await this.counts.read()).get(mapKey(id)) ?? NOBODY;
  }

  /** Counts them now, by the ID of the relying party (`mapKey`), which takes seconds if there are many. */
  async count(): Promise<ReadonlyMap<string, UsersView>> {
    const since = this.clock.now() - ACTIVE_MS;
    const holdings = await this.inventory.byRelyingParty();
    const used = await this.countUsed(since);
    return new Map(
      [...holdings].map(([id, { users: total }]) => {
        const { withKey = 0, active = 0 } = used.get(id) ?? {};
        return [id, { total, withKey, active }];
      }),
    );
  }

  /** Counts the users to whom each profile of the policy applies. */
  async ofProfiles(rp: RelyingParty): Promise<readonly ProfileUsersView[]> {
    const views: ProfileUsersView[] = [];
    const earlier: string[] = [];
    for (const { name, group } of rp.policy.profiles) {
      views.push({ name, group, ...(await this.countMembers(rp, group, earlier)) });
      earlier.push(group);
    }
    return views;
  }

  /** Reads all keys slice by slice, because SQLite does nothing else while it counts. */
  private async countUsed(since: number): Promise<ReadonlyMap<string, Omit<UsersView, 'total'>>> {
    const used = new Map<string, Omit<UsersView, 'total'>>();
    const slices = new TimeSlices(SLICE_MS);
    let after: Buffer | undefined = BEGINNING;
    while (after) {
      const last: Buffer | undefined = await this.lastOfSlice(after);
      const range = { since, after, upTo: last ?? END };
      for (const row of await this.database.query(COUNT_USERS_WITH_KEY, range)) {
        const id = mapKey(row.relyingPartyId);
        const { withKey = 0, active = 0 } = used.get(id) ?? {};
        used.set(id, {
          withKey: withKey + row.withKey,
          active: active + row.active,
        });
      }
      after = last;
      await slices.next();
    }
    return used;
  }

  /** The last user of a slice; `undefined` if there are fewer keys. */
  private async lastOfSlice(after: Buffer): Promise<Buffer | undefined> {
    const [last] = await this.database.query(USER_OF_KEY, { after, skip: KEYS_PER_STATEMENT - 1 });
    return last?.userId;
  }

  /** @param earlier groups whose profiles take precedence: their members are not counted */
  private async countMembers(rp: RelyingParty, group: string, earlier: readonly string[]) {
    const successor = this.relyingParties.current.successorOf(rp);
    const params = {
      name: Buffer.from(group),
      others: [NO_GROUP, ...earlier.map((one) => Buffer.from(one))],
      since: this.clock.now() - ACTIVE_MS,
      limit: MEMBERS_PER_STATEMENT,
    };
    const own = { ...params, ...scope(rp), successorId: successor?.id ?? NO_ID };
    const arrived = successor && { ...params, ...scope(successor), predecessorId: rp.id };
    const pages = [
      (after: Buffer) => this.database.query(MEMBERS_ONLY_OF_GROUP, { ...own, after }),
      ...(arrived
        ? [
            (after: Buffer) =>
              this.database.query(ARRIVED_MEMBERS_ONLY_OF_GROUP, { ...arrived, after }),
          ]
        : []),
    ];
    const users = { total: 0, withKey: 0, active: 0, complete: true };
    for (const page of pages) {
      let after: Buffer | undefined = BEGINNING;
      while (after && users.total < MAX_MEMBERS) {
        const rows: readonly MemberRow[] = await page(after);
        users.total += rows.length;
        users.withKey += rows.filter(({ withKey }) => withKey === 1).length;
        users.active += rows.filter(({ active }) => active === 1).length;
        after = rows.length < MEMBERS_PER_STATEMENT ? undefined : rows.at(-1)?.userId;
        // SQLite answers synchronously: let other tasks run in between.
        await yieldToEventLoop();
      }
      if (after) users.complete = false;
    }
    return users;
  }
}
