import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { scope } from '../../platform/database/scope.js';
import { mapKey } from '../../platform/database/row-ids.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { nameKey } from '../../tenancy/usernames/name-key.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import type { FoundUser } from '../user-rows.js';
import { readUsers, UsersByName } from '../users-by-name.js';
import { NAMES_OF_USERS } from '../search/search.statements.js';
import { LINKS_OF, LINKS_OF_FORMER, type Link } from './move.statements.js';
import { separateNames, userIdAt } from './move-steps.js';

/** A user whom a change at a domain concerns. */
export interface LinkedUser {
  readonly user: FoundUser;
  /** The user's name at that domain; a user of the old domain may have another name there. */
  readonly name: string;
  /** Whether the link of a user of the old domain is stored. */
  readonly isLinked: boolean;
}

/** A relying party, and the user's name there, whether or not the user still exists. */
export interface PlaceOfUser {
  readonly relyingParty: RelyingParty;
  readonly name: string;
  readonly user: FoundUser | undefined;
}

/**
 * Finds the users at the old domain of a move whom a change at the new one concerns: by the link, else by the same
 * name. Works on lists, for the help desk; `Moves` does the same for one user who signs in.
 */
@Injectable()
export class LinkedUsers {
  constructor(
    private readonly database: Database,
    private readonly directory: RelyingPartyCache,
    private readonly users: UsersByName,
  ) {}

  /**
   * The users of these names, and the same users at the predecessor.
   *
   * @param names in NFC
   */
  async find(rp: RelyingParty, names: readonly string[]): Promise<LinkedUser[]> {
    const here = await this.users.find(rp, names);
    const former = this.directory.current.predecessorOf(rp);
    if (!former) return here.map(itself);
    const there = await this.users.find(former, names);
    const wanted = new Set(names.map((name) => nameKey(rp, name)));
    return this.follow(rp, { here, there }, (name) => wanted.has(nameKey(rp, name)));
  }

  /** Number of credentials of each user, by name, at both domains together; unknown names are missing. */
  async count(rp: RelyingParty, names: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (!this.directory.current.predecessorOf(rp)) return this.users.count(rp, names);
    const sums = new Map<string, number>();
    for (const { user, name } of await this.find(rp, names)) {
      sums.set(name, (sums.get(name) ?? 0) + user.credentials.length);
    }
    return sums;
  }

  /** Where a user is, or was: not at the old domain if another user has the name there. */
  async placesOf(rp: RelyingParty, name: string): Promise<PlaceOfUser[]> {
    const found = (await this.find(rp, [name])).map(({ user }) => user);
    const user = found.find(({ relyingParty }) => relyingParty.id.equals(rp.id));
    const here = { relyingParty: rp, name, user };
    const former = this.directory.current.predecessorOf(rp);
    if (!former) return [here];
    const there = found.find(({ relyingParty }) => relyingParty.id.equals(former.id));
    if (there) return [{ relyingParty: former, name: there.username, user: there }, here];
    const [other] = await this.users.find(former, [name]);
    return other ? [here] : [{ relyingParty: former, name, user: undefined }, here];
  }

  /**
   * Removes users of the old domain who are other users at the new one, and adds those who have another name there.
   *
   * @param isMeant whether a change is for the user of this name at the new domain
   */
  async follow(
    rp: RelyingParty,
    { here, there }: { readonly here: readonly FoundUser[]; readonly there: readonly FoundUser[] },
    isMeant: (name: string) => boolean,
  ): Promise<LinkedUser[]> {
    const former = this.directory.current.predecessorOf(rp);
    if (!former) return [...here, ...there].map(itself);
    const links = await this.links(rp, LINKS_OF, here);
    const found = new Set(there.map(({ id }) => mapKey(id)));
    const missing = links.filter(({ formerUserId }) => !found.has(mapKey(formerUserId)));
    const others = await readUsers(
      this.database,
      former,
      missing.map(({ formerUserId }) => formerUserId),
    );
    const nameOf = new Map(here.map(({ id, username }) => [mapKey(id), username]));
    const added = others.map((user) => {
      const link = missing.find(({ formerUserId }) => formerUserId.equals(user.id));
      const name = (link && nameOf.get(mapKey(link.userId))) ?? user.username;
      return { user, name, isLinked: true };
    });
    return [...here.map(itself), ...added, ...(await this.among(rp, there, isMeant))];
  }

  /** The users of the old domain whom the change concerns. */
  private async among(
    rp: RelyingParty,
    there: readonly FoundUser[],
    isMeant: (name: string) => boolean,
  ): Promise<LinkedUser[]> {
    if (there.length === 0) return [];
    const links = await this.links(rp, LINKS_OF_FORMER, there);
    const linkedIds = new Map(
      links.map(({ userId, formerUserId }) => [mapKey(formerUserId), userId]),
    );
    const idOf = ({ id }: FoundUser) => linkedIds.get(mapKey(id)) ?? userIdAt(rp, id);
    const names = await this.names(rp, there.map(idOf));
    const alone = there.filter((user) => !names.has(mapKey(idOf(user))));
    const apart = await this.apart(rp, alone);
    return there.flatMap((user) => {
      const name = names.get(mapKey(idOf(user)));
      const isLinked = name !== undefined || linkedIds.has(mapKey(user.id));
      if (name === undefined) {
        return apart.has(user.username) ? [] : [{ user, name: user.username, isLinked }];
      }
      return isMeant(name) ? [{ user, name, isLinked }] : [];
    });
  }

  /** Names without a user at the new domain that belong to another user there. */
  private async apart(rp: RelyingParty, there: readonly FoundUser[]): Promise<ReadonlySet<string>> {
    const names = there.map(({ username }) => username);
    const namesakes = await this.users.find(rp, names);
    const links = await this.links(rp, LINKS_OF, namesakes);
    const formerIds = new Map(
      links.map(({ userId, formerUserId }) => [mapKey(userId), formerUserId]),
    );
    const owners = new Map(
      namesakes.map(({ id, username }) => [nameKey(rp, username), formerIds.get(mapKey(id))]),
    );
    // A user who has moved to the new domain since the lookup is the same user.
    const isTaken = ({ id, username }: FoundUser) =>
      owners.get(nameKey(rp, username))?.equals(id) === false;
    const separate = await separateNames(this.database, rp, names);
    return new Set(
      there
        .filter((user) => separate.has(user.username) || isTaken(user))
        .map(({ username }) => username),
    );
  }

  private async links(
    rp: RelyingParty,
    statement: typeof LINKS_OF,
    users: readonly FoundUser[],
  ): Promise<Link[]> {
    if (users.length === 0) return [];
    const ids = users.map(({ id }) => id);
    return this.database.query(statement, { ...scope(rp), ids });
  }

  /** The current names of users, by their IDs in Latin-1. */
  async names(rp: RelyingParty, ids: readonly Buffer[]): Promise<ReadonlyMap<string, string>> {
    const rows = await this.database.query(NAMES_OF_USERS, { ...scope(rp), ids });
    return new Map(rows.map(({ id, username }) => [mapKey(id), username.toString('utf8')]));
  }
}

const itself = (user: FoundUser): LinkedUser => ({ user, name: user.username, isLinked: false });
