import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';

/** How many users and credentials a relying party has. */
export interface Holdings {
  readonly users: number;
  readonly enabled: number;
  readonly disabled: number;
}

export const NOTHING: Holdings = { users: 0, enabled: 0, disabled: 0 };

interface UserRow {
  relyingParty: Buffer;
  n: number;
}
interface CredentialRow extends UserRow {
  enabled: number;
}

/** Counts what is stored, over all tenants: for administrators only. */
@Injectable()
export class Inventory {
  constructor(private readonly database: Database) {}

  /** Holdings by relying party ID (hex); one that holds nothing is missing. */
  async byRelyingParty(): Promise<ReadonlyMap<string, Holdings>> {
    const [users, credentials] = await Promise.all([this.users(), this.credentials()]);
    const holdings = new Map<string, Holdings>();
    const add = (id: Buffer, part: Partial<Holdings>) =>
      holdings.set(id.toString('hex'), {
        ...NOTHING,
        ...holdings.get(id.toString('hex')),
        ...part,
      });
    for (const { relyingParty, n } of users) add(relyingParty, { users: Number(n) });
    for (const { relyingParty, enabled, n } of credentials) {
      add(relyingParty, { [Number(enabled) === 1 ? 'enabled' : 'disabled']: Number(n) });
    }
    return holdings;
  }

  private users(): Promise<UserRow[]> {
    return this.database
      .query<UserRow>(
        'SELECT relying_party_id AS relyingParty, COUNT(*) AS n FROM users GROUP BY relying_party_id',
      )
      .all();
  }

  private credentials(): Promise<CredentialRow[]> {
    return this.database
      .query<CredentialRow>(
        `SELECT relying_party_id AS relyingParty, enabled, COUNT(*) AS n
         FROM credentials GROUP BY relying_party_id, enabled`,
      )
      .all();
  }
}
