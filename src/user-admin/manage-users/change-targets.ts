import { Injectable } from '@nestjs/common';
import { splitIntoParts } from '../../platform/common/split-into-parts.js';
import { CredentialReader, credentialHashOf } from '../../users/credentials/credential-reader.js';
import { LinkedUsers } from '../../users/moves/linked-users.js';
import { UserList } from '../../users/list/user-list.js';
import { Pattern } from '../../users/search/pattern.js';
import type { FoundUser } from '../../users/user-rows.js';
import {
  UserSearch,
  matchesName,
  withMatchingCredentials,
  comparablePattern,
  type Criterion,
} from '../../users/search/user-search.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { nameKey } from '../../tenancy/usernames/name-key.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';

/** The users and devices that a change affects. */
export interface ChangeSelection {
  readonly criterion: Criterion;
  /** The only credential to change, if the request does not name its user. */
  readonly credentialId: Buffer | undefined;
}

/** Users that are read together, before other tasks run. */
const BATCH = 200;
/** Users whose IDs one statement reads. */
const MAX_AT_ONCE = 10_000;

/** Finds the users that a change affects: at its relying party, and the same users at the old domain of a move. */
@Injectable()
export class ChangeTargets {
  constructor(
    private readonly search: UserSearch,
    private readonly list: UserList,
    private readonly reader: CredentialReader,
    private readonly linked: LinkedUsers,
    private readonly directory: RelyingPartyCache,
  ) {}

  /**
   * Yields the users in batches. Users at the old domain come first: their counterparts at the new one are determined
   * before anything changes there.
   */
  async *batches(rp: RelyingParty, { criterion: requested, credentialId }: ChangeSelection) {
    const predecessor = this.directory.current.predecessorOf(rp);
    const places = predecessor ? [predecessor, rp] : [rp];
    const criterion = credentialId
      ? await this.ownersOf(places, requested, credentialId)
      : requested;
    if (!criterion) return;
    if (predecessor) yield* this.ofFormer({ rp, predecessor }, { criterion, credentialId });
    for await (const here of this.pages(rp, criterion)) {
      const others = predecessor ? await this.othersOf(rp, here, criterion) : [];
      if (others.length > 0) yield others;
      yield here;
    }
  }

  private pages(rp: RelyingParty, criterion: Criterion) {
    return criterion.name.isLiteral
      ? this.search.pages([rp], criterion, BATCH)
      : this.ofPattern(rp, criterion);
  }

  /**
   * A rename could move a user behind the position of a search by names. So if few names match the prefix, the users
   * are found at once; otherwise they are read in the order of their creation.
   */
  private async *ofPattern(rp: RelyingParty, criterion: Criterion) {
    const { name, device } = criterion;
    const few = await this.search.idsOf(rp, name, MAX_AT_ONCE);
    if (few) {
      for (const ids of splitIntoParts(few, BATCH))
        yield await this.search.byIds(rp, ids, criterion);
      return;
    }
    const order = { by: 'created', descending: false } as const;
    for await (const users of this.list.pages([rp], { name, filter: {}, order }, BATCH)) {
      yield withMatchingCredentials(users, device);
    }
  }

  /** Users at the old domain who match, except those who are another user at the new one. */
  private async *ofFormer(
    { rp, predecessor }: { readonly rp: RelyingParty; readonly predecessor: RelyingParty },
    { criterion, credentialId }: ChangeSelection,
  ) {
    const name = comparablePattern(rp, criterion.name);
    const isMeant = (username: string) =>
      credentialId !== undefined || name.matches(nameKey(rp, username));
    for await (const there of this.pages(predecessor, criterion)) {
      const found = await this.linked.follow(rp, { here: [], there }, isMeant);
      if (found.length > 0) yield found.map(({ user }) => user);
    }
  }

  /** The same users at the old domain if their names there do not match. */
  private async othersOf(
    rp: RelyingParty,
    here: readonly FoundUser[],
    { name, device }: Criterion,
  ): Promise<FoundUser[]> {
    const found = await this.linked.follow(rp, { here, there: [] }, () => true);
    const others = found
      .map(({ user }) => user)
      .filter((user) => !user.relyingParty.id.equals(rp.id) && !matchesName(user, name));
    const reread = await Promise.all(others.map((user) => this.search.reread(user, device)));
    return reread.filter((user) => user !== undefined);
  }

  /** Narrows the search to the owner of the only credential, found through an index, instead of all users. */
  private async ownersOf(
    rps: readonly RelyingParty[],
    criterion: Criterion,
    credentialId: Buffer,
  ): Promise<Criterion | undefined> {
    for (const rp of rps) {
      const credential = await this.reader.findByHash(rp, credentialHashOf(credentialId));
      if (credential) return { ...criterion, name: Pattern.literal(credential.username) };
    }
    return undefined;
  }
}
