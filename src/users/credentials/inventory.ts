import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { TimeSlices } from '../../platform/common/pace.js';
import { Database } from '../../platform/database/database.js';
import { scope } from '../../platform/database/scope.js';
import { mapKey } from '../../platform/database/row-ids.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { aaguidText } from '../../webauthn/aaguid.js';
import { unsuspendedSlices } from '../list/unable-users.js';
import {
  COUNT_CREDENTIALS,
  COUNT_MODELS,
  COUNT_SUSPENDED,
  COUNT_UNABLE_USERS,
  COUNT_USERS,
  UNVERIFIED_BY_HASH,
} from '../user.statements.js';

/** Number of users and credentials of a relying party. */
export interface UserAndKeyCounts {
  readonly users: number;
  readonly enabled: number;
  readonly disabled: number;
}

export const NO_USERS_OR_KEYS: UserAndKeyCounts = { users: 0, enabled: 0, disabled: 0 };

/** Number of credentials of a model at a relying party. */
export interface ModelCount {
  /** Hex. */
  readonly relyingParty: string;
  readonly aaguid: string;
  readonly n: number;
}

const SLICE_MS = 10;
const KEYS_PER_STATEMENT = 500;
/** Maximum number of keys to read; they are read in order of the hashes of their IDs, so they are a fair sample. */
const MAX_KEYS = 50_000;
const HASH_BYTES = 32;

/** Counts users and credentials over all tenants: for accounts of all tenants only. */
@Injectable()
export class Inventory {
  constructor(
    private readonly database: Database,
    private readonly relyingParties: RelyingPartyCache,
  ) {}

  /** The numbers by relying party ID (`mapKey`), without empty relying parties. Expensive: call it seldom. */
  async byRelyingParty(): Promise<ReadonlyMap<string, UserAndKeyCounts>> {
    const [users, credentials] = await Promise.all([
      this.database.query(COUNT_USERS),
      this.database.query(COUNT_CREDENTIALS),
    ]);
    const holdings = new Map<string, UserAndKeyCounts>();
    const add = (id: Buffer, part: Partial<UserAndKeyCounts>) =>
      holdings.set(mapKey(id), {
        ...NO_USERS_OR_KEYS,
        ...holdings.get(mapKey(id)),
        ...part,
      });
    for (const { relyingPartyId, n } of users) add(relyingPartyId, { users: n });
    for (const { relyingPartyId, enabled, n } of credentials) {
      add(relyingPartyId, { [enabled === 1 ? 'enabled' : 'disabled']: n });
    }
    return holdings;
  }

  /** Keys per model and relying party, including disabled ones. Takes a second for millions: call it seldom. */
  async keysByModel(): Promise<ModelCount[]> {
    const rows = await this.database.query(COUNT_MODELS);
    return rows.map(({ relyingPartyId, aaguid, n }) => ({
      relyingParty: mapKey(relyingPartyId),
      aaguid: aaguidText(aaguid),
      n,
    }));
  }

  /** How many users of each open relying party cannot sign in. Takes some seconds for a million: call it seldom. */
  async usersWhoCannotSignIn() {
    const { kind } = this.database;
    const counts = [];
    const slices = new TimeSlices(SLICE_MS);
    for (const rp of this.relyingParties.current.all) {
      const { id: relyingPartyId } = rp;
      const [suspended] = await this.database.query(COUNT_SUSPENDED[kind], { relyingPartyId });
      let users = suspended?.n ?? 0;
      for await (const slice of unsuspendedSlices(this.database, rp)) {
        const [row] = await this.database.query(COUNT_UNABLE_USERS[kind], slice);
        users += row?.n ?? 0;
        await slices.next();
      }
      counts.push({ relyingParty: mapKey(relyingPartyId), users });
    }
    return counts;
  }

  /** The users without verified sign-ins of each open relying party, by its ID (`mapKey`). */
  async unverifiedUsers() {
    const counts = [];
    for (const rp of this.relyingParties.current.all) {
      const { users } = await this.unverifiedUsersOf(rp);
      counts.push({ relyingParty: mapKey(rp.id), users });
    }
    return counts;
  }

  /**
   * How many users of a relying party have only keys whose user verification does not count, so that their sign-ins
   * are never verified. Takes a second or two if there are many keys.
   *
   * @returns `complete: false` if there are more keys, and the number comes from a sample
   */
  async unverifiedUsersOf(rp: RelyingParty): Promise<{ users: number; complete: boolean }> {
    let users = 0;
    let after: Buffer = Buffer.alloc(HASH_BYTES);
    for (let read = 0; read < MAX_KEYS; read += KEYS_PER_STATEMENT) {
      const rows = await this.database.query(UNVERIFIED_BY_HASH, {
        ...scope(rp),
        after,
        limit: KEYS_PER_STATEMENT,
      });
      users += rows.filter(({ marks }) => marks === 1).length;
      const last = rows.at(-1);
      if (!last || rows.length < KEYS_PER_STATEMENT) return { users, complete: true };
      after = last.credentialHash;
      // SQLite answers synchronously: other requests run in between.
      await yieldToEventLoop();
    }
    return { users, complete: false };
  }
}
