import { Injectable } from '@nestjs/common';
import { CachedValue } from '../platform/common/cached-value.js';
import { Clock } from '../platform/common/clock.js';
import { Database } from '../platform/database/database.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { Inventory } from '../users/credentials/inventory.js';
import type { UsersView } from './users.answer.js';
import { COUNT_USERS_WITH_KEY } from './adoption.statements.js';

const ACTIVE_MS = 30 * 86_400_000;
const NOBODY: UsersView = { total: 0, withKey: 0, active: 0 };

/** Counts the users of all relying parties, and how many of them use keys. */
@Injectable()
export class UserReader {
  private readonly counts = new CachedValue(() => this.count());

  constructor(
    private readonly database: Database,
    private readonly inventory: Inventory,
    private readonly clock: Clock,
  ) {}

  async read({ id }: RelyingParty): Promise<UsersView> {
    return (await this.counts.read()).get(id.toString('hex')) ?? NOBODY;
  }

  /** The same for several relying parties. */
  readAll(rps: readonly RelyingParty[]) {
    return Promise.all(rps.map(async (rp) => ({ rp, users: await this.read(rp) })));
  }

  /** How many have only keys whose user verification does not count. */
  unverified(rp: RelyingParty) {
    return this.inventory.unverifiedUsersOf(rp);
  }

  private async count(): Promise<ReadonlyMap<string, UsersView>> {
    const since = this.clock.now() - ACTIVE_MS;
    const holdings = await this.inventory.byRelyingParty();
    const rows = await this.database.query(COUNT_USERS_WITH_KEY, { since });
    const used = new Map(rows.map((row) => [row.relyingPartyId.toString('hex'), row]));
    return new Map(
      [...holdings].map(([id, { users: total }]) => {
        const { withKey = 0, active = 0 } = used.get(id) ?? {};
        return [id, { total, withKey: Number(withKey), active: Number(active) }];
      }),
    );
  }
}
