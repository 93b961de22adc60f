import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database.js';
import type { Query } from '../platform/database/database.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { ignoresCase, nameKey } from '../tenancy/usernames/name-key.js';
import { foldedName } from '../platform/validation/values/folded-name.js';
import { usersOf } from './user-rows.js';
import type { FoundUser, UserRow } from './user-rows.js';
import {
  CREDENTIALS_BY_NAME,
  NAMES_AT_ONCE,
  USERS_BY_FOLDED_NAME,
  USERS_BY_NAME,
} from './user.statements.js';

/** Finds users by lists of names, which are taken literally and must be in NFC. */
@Injectable()
export class UsersByName {
  private readonly users: Query<UserRow>;
  private readonly inAnyCase: Query<UserRow>;
  private readonly counts: Query<{ username: Buffer; n: number }>;

  constructor(database: Database) {
    this.users = database.query(USERS_BY_NAME);
    this.inAnyCase = database.query(USERS_BY_FOLDED_NAME);
    this.counts = database.query(CREDENTIALS_BY_NAME);
  }

  /** Those that there are, with their credentials, each once, in the order of what names are compared by. */
  async find(rp: RelyingParty, names: readonly string[]): Promise<FoundUser[]> {
    const folded = ignoresCase(rp)
      ? await inParts(names.map(foldedName), (part) => this.inAnyCase.all(rp.id, ...part))
      : [];
    // Who is not folded yet is found as it was registered (`FoldedNames`).
    const found = new Set(folded.map(({ username }) => nameKey(rp, username.toString('utf8'))));
    const others = names.filter((name) => !found.has(nameKey(rp, name)));
    const rows = await inParts(others, (part) => this.users.all(rp.id, ...part));
    return usersOf(rp, [...folded, ...rows]);
  }

  /** How many credentials each has, by name as it was registered; who is not a user is missing. */
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
  for (let at = 0; at < names.length; at += NAMES_AT_ONCE) {
    const part = names.slice(at, at + NAMES_AT_ONCE).map((name) => Buffer.from(name, 'utf8'));
    const filler = Array.from({ length: NAMES_AT_ONCE - part.length }, () => part.at(-1) as Buffer);
    rows.push(...(await ask([...part, ...filler])));
  }
  return rows;
}
