import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import { scope } from '../platform/database/scope.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { TenantDirectory } from '../tenancy/scope/tenant-directory.js';
import { UNVERIFIED_BY_HASH } from './user.statements.js';

/** How many users there are of whose keys no user verification counts. */
interface UnverifiedCount {
  readonly users: number;
  /** `false`: there are more keys, and these are the users of a sample. */
  readonly complete: boolean;
}

const PAGE = 500;
/** Keys that are read at most; they come in the order of the hashes of their IDs, so they are a fair sample. */
const MOST_KEYS = 50_000;
const HASH_BYTES = 32;

/** Counts users whose sign-ins are never verified: every one of their keys has `uvInitialized` false. */
@Injectable()
export class UnverifiedUsers {
  constructor(
    private readonly database: Database,
    private readonly directory: TenantDirectory,
  ) {}

  /** The users of each open relying party, by its ID in hex. */
  async countEach() {
    const counts = [];
    for (const rp of this.directory.current.relyingParties) {
      const { users } = await this.count(rp);
      counts.push({ relyingParty: rp.id.toString('hex'), users });
    }
    return counts;
  }

  /** Takes up to a second or two where there are many keys. */
  async count(rp: RelyingParty): Promise<UnverifiedCount> {
    let users = 0;
    let behind: Buffer = Buffer.alloc(HASH_BYTES);
    for (let read = 0; read < MOST_KEYS; read += PAGE) {
      const rows = await this.database.query(UNVERIFIED_BY_HASH, {
        ...{ ...scope(rp), behind, limit: PAGE },
      });
      users += rows.filter(({ marks }) => Number(marks) === 1).length;
      const last = rows.at(-1);
      if (!last || rows.length < PAGE) return { users, complete: true };
      behind = last.credentialHash;
      // SQLite answers without giving up its turn: others get theirs in between.
      await nextTurn();
    }
    return { users, complete: false };
  }
}
