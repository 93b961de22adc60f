import { Injectable } from '@nestjs/common';
import { splitIntoParts } from '../platform/common/split-into-parts.js';
import { Database } from '../platform/database/database.js';
import { mapKey } from '../platform/database/row-ids.js';
import { scope } from '../platform/database/scope.js';
import type { Statement } from '../platform/database/statement.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { ignoresCase, nameKey } from '../tenancy/usernames/name-key.js';
import { foldedName } from '../platform/validation/values/folded-name.js';
import { usersOf, type FoundUser } from './user-rows.js';
import { wholeNameEntry } from './search/folding.js';
import { USERNAMES_OF_ENTRIES } from './search/search.statements.js';
import {
  CREDENTIALS_BY_NAME,
  NAMES_OF_USERS,
  USERS_BY_NAME,
  USERS_OF_IDS,
} from './user.statements.js';

const NAMES_PER_STATEMENT = 256;
/** With their keys. */
const USERS_PER_STATEMENT = 100;

/** The users with these IDs, with their keys. */
export async function readUsers(
  database: Database,
  rp: RelyingParty,
  wanted: readonly Buffer[],
): Promise<FoundUser[]> {
  const users: FoundUser[] = [];
  for (const ids of splitIntoParts(wanted, USERS_PER_STATEMENT)) {
    users.push(...usersOf(rp, await database.query(USERS_OF_IDS, { ...scope(rp), ids })));
  }
  return users;
}

/** The current names of users, by their IDs (`mapKey`); absent for users who do not exist. */
export async function namesOfUsers(
  database: Database,
  rp: RelyingParty,
  ids: readonly Buffer[],
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await database.query(NAMES_OF_USERS, { ...scope(rp), ids });
  return new Map(rows.map(({ id, username }) => [mapKey(id), username.toString('utf8')]));
}

/** Finds users by lists of names, which are taken literally and must be in NFC. */
@Injectable()
export class UsersByName {
  constructor(private readonly database: Database) {}

  /** The existing users among them, with their credentials, without duplicates, in the order of compared names. */
  async find(rp: RelyingParty, names: readonly string[]): Promise<FoundUser[]> {
    const folded = ignoresCase(rp)
      ? await this.rowsOf(USERS_BY_NAME.folded, rp, names.map(foldedName))
      : [];
    // A user whose name is not folded yet is found as registered (`FoldingJob`).
    const found = new Set(folded.map(({ username }) => nameKey(rp, username.toString('utf8'))));
    const others = names.filter((name) => !found.has(nameKey(rp, name)));
    const rows = await this.rowsOf(USERS_BY_NAME.exact, rp, others);
    return usersOf(rp, [...folded, ...rows]);
  }

  /** Number of credentials of each user, by registered name; unknown names are missing. */
  async count(rp: RelyingParty, names: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await this.rowsOf(CREDENTIALS_BY_NAME, rp, names);
    return new Map(rows.map(({ username, n }) => [username.toString('utf8'), n]));
  }

  /**
   * User names that differ from these only in case: lists of leavers are typed by hand.
   *
   * @param names that no user has, in NFC
   */
  async alike(rp: RelyingParty, names: readonly string[]): Promise<ReadonlyMap<string, string[]>> {
    const similar = new Map<string, string[]>();
    for (const part of splitIntoParts(names, NAMES_PER_STATEMENT)) {
      const entries = part.flatMap((name) => wholeNameEntry(name) ?? []);
      if (entries.length === 0) continue;
      const params = { relyingPartyId: rp.id, entries };
      const rows = await this.database.query(USERNAMES_OF_ENTRIES, params);
      const users = [...new Set(rows.map(({ username }) => username.toString('utf8')))].sort();
      for (const name of part) {
        const alike = users.filter((user) => inOneCase(user) === inOneCase(name));
        if (alike.length > 0) similar.set(name, alike);
      }
    }
    return similar;
  }

  private async rowsOf<Row>(
    statement: Statement<{ relyingPartyId: Buffer; names: readonly Buffer[] }, Row>,
    { id: relyingPartyId }: RelyingParty,
    names: readonly string[],
  ): Promise<Row[]> {
    const rows: Row[] = [];
    for (const part of splitIntoParts(names, NAMES_PER_STATEMENT)) {
      const bytes = part.map((name) => Buffer.from(name, 'utf8'));
      rows.push(...(await this.database.query(statement, { relyingPartyId, names: bytes })));
    }
    return rows;
  }
}

const inOneCase = (name: string): string => name.toLowerCase().toUpperCase().toLowerCase();
