import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { mapKey } from '../../platform/database/row-ids.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { nameKey } from '../../tenancy/usernames/name-key.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import type { FoundUser } from '../user-rows.js';
import { readUsers, UsersByName } from '../users-by-name.js';
import { SameUsers } from './same-users.js';

/** A user whom a change at a domain concerns. */
export interface LinkedUser {
  readonly user: FoundUser;
  /** The user's name at that domain; a user of the predecessor may have another name there. */
  readonly name: string;
  /** The ID that the user has, or will have, at that domain. */
  readonly userId: Buffer;
}

/** A relying party, and the user's name there, whether or not the user still exists. */
export interface DomainOfUser {
  readonly relyingParty: RelyingParty;
  readonly name: string;
  readonly user: FoundUser | undefined;
}

/**
 * Finds the users of the predecessor whom a change at the successor concerns, as `SameUsers` decides. Works on lists,
 * for the help desk; `Moves` does the same for one user who signs in.
 */
@Injectable()
export class LinkedUsers {
  constructor(
    private readonly database: Database,
    private readonly relyingParties: RelyingPartyCache,
    private readonly users: UsersByName,
    private readonly same: SameUsers,
  ) {}

  /**
   * The users of these names, and the same users at the predecessor.
   *
   * @param names in NFC
   */
  async find(rp: RelyingParty, names: readonly string[]): Promise<LinkedUser[]> {
    const successorUsers = await this.users.find(rp, names);
    const predecessor = this.relyingParties.current.predecessorOf(rp);
    if (!predecessor) return successorUsers.map(underOwnName);
    const predecessorUsers = await this.users.find(predecessor, names);
    const wanted = new Set(names.map((name) => nameKey(rp, name)));
    const isMeant = (name: string) => wanted.has(nameKey(rp, name));
    return this.withCounterparts(rp, { successorUsers, predecessorUsers }, isMeant);
  }

  /**
   * Yields users whom `find` returned, at the predecessor first: after an interruption, the user at the successor still
   * leads there. Users of the successor are read, by their IDs, once the caller has finished with those of the
   * predecessor, whose keys could register further ones until then.
   */
  async *oneAfterTheOther(
    rp: RelyingParty,
    found: readonly LinkedUser[],
  ): AsyncGenerator<FoundUser> {
    for (const { user } of found) {
      if (!user.relyingParty.id.equals(rp.id)) yield user;
    }
    const ids = new Map(found.map(({ userId }) => [mapKey(userId), userId]));
    yield* await readUsers(this.database, rp, [...ids.values()]);
  }

  /**
   * Which of these names belong to users of the predecessor who are not at the successor yet: no other user may take
   * them.
   */
  async expected(
    rp: RelyingParty,
    names: readonly string[],
  ): Promise<(username: string) => boolean> {
    const predecessor = this.relyingParties.current.predecessorOf(rp);
    if (!predecessor) return () => false;
    const users = await this.users.find(predecessor, names);
    const found = await this.same.ofPredecessor(
      rp,
      users.map(({ id }) => id),
    );
    const absent = users.filter(({ id }) => {
      const same = found.get(mapKey(id));
      return same && same.name === undefined;
    });
    const expected = new Set(absent.map(({ username }) => nameKey(predecessor, username)));
    return (username) => expected.has(nameKey(predecessor, username));
  }

  /** Number of credentials of each user, by name, at both domains together; unknown names are missing. */
  async count(rp: RelyingParty, names: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (!this.relyingParties.current.predecessorOf(rp)) return this.users.count(rp, names);
    const sums = new Map<string, number>();
    for (const { user, name } of await this.find(rp, names)) {
      sums.set(name, (sums.get(name) ?? 0) + user.credentials.length);
    }
    return sums;
  }

  /**
   * Where a user is, or was: not at the predecessor if another user has the name there.
   *
   * @param linked the result of `find` for the name
   */
  async domainsOf(
    rp: RelyingParty,
    name: string,
    linked: readonly LinkedUser[],
  ): Promise<DomainOfUser[]> {
    const userOf = ({ id }: RelyingParty) =>
      linked.find(({ user }) => user.relyingParty.id.equals(id))?.user;
    const own = { relyingParty: rp, name, user: userOf(rp) };
    const predecessor = this.relyingParties.current.predecessorOf(rp);
    if (!predecessor) return [own];
    const user = userOf(predecessor);
    if (user) return [{ relyingParty: predecessor, name: user.username, user }, own];
    const [other] = await this.users.find(predecessor, [name]);
    return other ? [own] : [{ relyingParty: predecessor, name, user: undefined }, own];
  }

  /**
   * Removes users of the predecessor who are other users at the successor, and adds those who have another name there.
   *
   * @param isMeant whether a change is for the user of this name at the successor
   */
  async withCounterparts(
    successor: RelyingParty,
    {
      successorUsers,
      predecessorUsers,
    }: {
      readonly successorUsers: readonly FoundUser[];
      readonly predecessorUsers: readonly FoundUser[];
    },
    isMeant: (name: string) => boolean,
  ): Promise<LinkedUser[]> {
    const predecessor = this.relyingParties.current.predecessorOf(successor);
    if (!predecessor) return [...successorUsers, ...predecessorUsers].map(underOwnName);
    const nameOf = new Map(successorUsers.map(({ id, username }) => [mapKey(id), username]));
    const read = new Set(predecessorUsers.map(({ id }) => mapKey(id)));
    const ids = await this.same.predecessorUserIds(
      successor,
      predecessor,
      successorUsers.map(({ id }) => id),
    );
    const missing = ids.filter((id) => !read.has(mapKey(id)));
    const users = [...(await readUsers(this.database, predecessor, missing)), ...predecessorUsers];
    const found = await this.same.ofPredecessor(
      successor,
      users.map(({ id }) => id),
    );
    const concerned = users.flatMap((user) => {
      const same = found.get(mapKey(user.id));
      if (!same) return [];
      const isRead = read.has(mapKey(user.id));
      const known = nameOf.get(mapKey(same.userId));
      const name = known ?? same.name ?? user.username;
      // A user who is not at the successor yet is meant by the name as the successor compares names.
      const isWanted = isRead ? isMeant(name) : known !== undefined;
      return isWanted ? [{ user, name, userId: same.userId }] : [];
    });
    return [...successorUsers.map(underOwnName), ...concerned];
  }
}

const underOwnName = (user: FoundUser): LinkedUser => ({
  user,
  name: user.username,
  userId: user.id,
});
