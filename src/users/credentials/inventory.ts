import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { COUNT_CREDENTIALS, COUNT_USERS } from '../user.statements.js';

/** How many users and credentials a relying party has. */
export interface Holdings {
  readonly users: number;
  readonly enabled: number;
  readonly disabled: number;
}

export const NOTHING: Holdings = { users: 0, enabled: 0, disabled: 0 };

/** Counts what is stored, over all tenants: for administrators only. */
@Injectable()
export class Inventory {
  constructor(private readonly database: Database) {}

  /** Holdings by relying party ID (hex); one that holds nothing is missing. Ask seldom. */
  async byRelyingParty(): Promise<ReadonlyMap<string, Holdings>> {
    const [users, credentials] = await Promise.all([
      this.database.query(COUNT_USERS),
      this.database.query(COUNT_CREDENTIALS),
    ]);
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
