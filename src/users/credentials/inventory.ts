import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import type { Query } from '../../platform/database/database.js';
import { COUNT_CREDENTIALS, COUNT_USERS } from '../user.statements.js';

/** How many users and credentials a relying party has. */
export interface Holdings {
  readonly users: number;
  readonly enabled: number;
  readonly disabled: number;
}

export const NOTHING: Holdings = { users: 0, enabled: 0, disabled: 0 };

interface UserRow {
  relyingPartyId: Buffer;
  n: number;
}
interface CredentialRow extends UserRow {
  enabled: number;
}

/** Ten million keys take some seconds. */
const PATIENCE = { patienceMs: 30_000 };

/** Counts what is stored, over all tenants: for administrators only. */
@Injectable()
export class Inventory {
  private readonly users: Query<UserRow>;
  private readonly credentials: Query<CredentialRow>;

  constructor(database: Database) {
    this.users = database.query(COUNT_USERS, PATIENCE);
    this.credentials = database.query(COUNT_CREDENTIALS, PATIENCE);
  }

  /** Holdings by relying party ID (hex); one that holds nothing is missing. Ask seldom. */
  async byRelyingParty(): Promise<ReadonlyMap<string, Holdings>> {
    const [users, credentials] = await Promise.all([this.users.all(), this.credentials.all()]);
    const holdings = new Map<string, Holdings>();
    const add = (id: Buffer, part: Partial<Holdings>) =>
      holdings.set(id.toString('hex'), {
        ...NOTHING,
        ...holdings.get(id.toString('hex')),
        ...part,
      });
    for (const { relyingPartyId, n } of users) add(relyingPartyId, { users: Number(n) });
    for (const { relyingPartyId, enabled, n } of credentials) {
      add(relyingPartyId, { [Number(enabled) === 1 ? 'enabled' : 'disabled']: Number(n) });
    }
    return holdings;
  }
}
