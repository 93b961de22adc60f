import { Injectable } from '@nestjs/common';
import { Database } from '../database/database.js';
import type { Query } from '../database/database.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { USER_COLUMNS, usersOf } from './user-rows.js';
import type { FoundUser, UserRow } from './user-rows.js';

/** Names of one statement. Its text is fixed: fewer names are filled up with the last one. */
const NAMES = 200;
const MARKS = Array.from({ length: NAMES }, () => '?').join(',');
const BY_NAME = `(SELECT id FROM users WHERE relying_party_id = ? AND username IN (${MARKS})) k`;

/** Finds users by lists of names, which are taken literally and must be in NFC. */
@Injectable()
export class UsersByName {
  private readonly users: Query<UserRow>;
  private readonly counts: Query<{ username: Buffer; n: number }>;

  constructor(database: Database) {
    this.users = database.query(
      `SELECT ${USER_COLUMNS} FROM ${BY_NAME}
       JOIN users u ON u.id = k.id LEFT JOIN credentials c ON c.user_id = k.id`,
    );
    this.counts = database.query(
      `SELECT u.username, COUNT(c.id) AS n FROM ${BY_NAME}
       JOIN users u ON u.id = k.id LEFT JOIN credentials c ON c.user_id = k.id
       GROUP BY u.id, u.username`,
    );
  }

  /** Those that there are, with their credentials, in the order of their names' bytes. */
  async find(rp: RelyingParty, names: readonly string[]): Promise<FoundUser[]> {
    const rows = await inParts(names, (part) => this.users.all(rp.id, ...part));
    return usersOf(rp, rows);
  }

  /** How many credentials each has, by name; who is not a user is missing. */
  async count(rp: RelyingParty, names: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await inParts(names, (part) => this.counts.all(rp.id, ...part));
    return new Map(rows.map(({ username, n }) => [username.toString('utf8'), Number(n)]));
  }
}

async function inParts<Row>(
  names: readonly string[],
  ask: (part: readonly Buffer[]) => Promise<Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let at = 0; at < names.length; at += NAMES) {
    const part = names.slice(at, at + NAMES).map((name) => Buffer.from(name, 'utf8'));
    const filler = Array.from({ length: NAMES - part.length }, () => part.at(-1) as Buffer);
    rows.push(...(await ask([...part, ...filler])));
  }
  return rows;
}
