import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { AuditEntry } from '../../audit/audit-entry.js';
import { allSettled } from '../../platform/common/all-settled.js';
import { splitIntoParts } from '../../platform/common/split-into-parts.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { ok } from '../../platform/http/ok.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { nameKey } from '../../tenancy/usernames/name-key.js';
import { CredentialReader, credentialHashOf } from '../../users/credentials/credential-reader.js';
import { UserList } from '../../users/list/user-list.js';
import { addEnded, noneEnded } from '../../users/lock-outs.js';
import { LinkedUsers } from '../../users/moves/linked-users.js';
import { Pattern } from '../../users/search/pattern.js';
import {
  UserSearch,
  comparablePattern,
  matchesName,
  type SearchCriterion,
} from '../../users/search/user-search.js';
import { UserChanges, isDeletion, isLockOut, type UserChange } from '../../users/user-changes.js';
import {
  credentialIdText,
  withMatchingCredentials,
  type FoundUser,
} from '../../users/user-rows.js';
import { UsersByName } from '../../users/users-by-name.js';
import type { ChangeAnswer } from './manage-users.answer.js';
import type { OperationType } from './operations.js';

/** The users and devices that a change affects. */
interface ChangeSelection {
  readonly criterion: SearchCriterion;
  /** The only credential to change, if the request does not name its user. */
  readonly credentialId: Buffer | undefined;
}

interface ChangeRequest extends ChangeSelection {
  readonly type: OperationType;
  readonly change: UserChange['kind'];
  /** The account that makes the change. */
  readonly account: string;
  readonly requestId: string;
  /** Creates the audit row of a user, which is stored with the user's change. */
  readonly audit: (user: FoundUser) => AuditEntry;
}

/** Other tasks run between statements. */
const USERS_PER_STATEMENT = 200;
const IDS_PER_STATEMENT = 10_000;
const PAUSE_MS = 10;
/** The maximum number of changed users in an answer; a change may affect any number. */
const MAX_AFFECTED = 10_000;

/** Changes the users whom a search finds at a relying party, and the same users at the predecessor. */
@Injectable()
export class ManageUsersService {
  constructor(
    private readonly byName: UsersByName,
    private readonly search: UserSearch,
    private readonly list: UserList,
    private readonly reader: CredentialReader,
    private readonly linked: LinkedUsers,
    private readonly relyingParties: RelyingPartyCache,
    private readonly changes: UserChanges,
  ) {}

  /**
   * Changes all matches slice by slice, each user in one unit with the audit row. An interrupted call can be
   * repeated: earlier changes remain.
   *
   * @throws ApiError E0044R if no user, or no device of one, matches
   */
  async change(
    rp: RelyingParty,
    { type, change, criterion, credentialId, account, requestId, audit }: ChangeRequest,
  ): Promise<ChangeAnswer> {
    const affected: ChangeAnswer['affected'][number][] = [];
    const count = { matched: 0, users: 0, credentials: 0 };
    const ended = noneEnded();
    const made = isDeletion(change) ? { kind: change } : { kind: change, by: { account } };
    const changed = async (user: FoundUser): Promise<void> => {
      const applied = await this.changes.apply(made, user, {
        requestId,
        calledAt: rp,
        device: criterion.device,
        background: count.matched > 1,
        audit,
      });
      if (!applied) return;
      count.users += 1;
      count.credentials += applied.credentials.length;
      addEnded(ended, applied);
      const credentialIds = applied.credentials.map(credentialIdText);
      if (affected.length < MAX_AFFECTED) affected.push({ username: user.username, credentialIds });
    };
    for await (const users of this.targets(rp, { criterion, credentialId })) {
      if (count.matched > 0) await pause(PAUSE_MS);
      count.matched += users.length;
      await allSettled(users.map(changed));
    }
    if (count.matched === 0) throw new ApiError('E0044R', 'user.noMatch');
    const { users, credentials } = count;
    const complete = affected.length === users ? {} : ({ affectedComplete: false } as const);
    const locksOut = isLockOut(made, criterion);
    return ok({ type, users, credentials, affected, ...(locksOut && { ended }), ...complete });
  }

  /**
   * Yields the users slice by slice. Users of the predecessor come first: their counterparts at the successor are
   * determined before anything changes there.
   */
  private async *targets(
    rp: RelyingParty,
    { criterion: requested, credentialId }: ChangeSelection,
  ) {
    const predecessor = this.relyingParties.current.predecessorOf(rp);
    const places = predecessor ? [predecessor, rp] : [rp];
    const criterion = credentialId
      ? await this.ownersOf(places, requested, credentialId)
      : requested;
    if (!criterion) return;
    if (predecessor) yield* this.ofPredecessor({ rp, predecessor }, { criterion, credentialId });
    for await (const users of this.slices(rp, criterion)) {
      const others = predecessor ? await this.othersOf(rp, users, criterion) : [];
      if (others.length > 0) yield others;
      yield users;
    }
  }

  private async *slices(rp: RelyingParty, criterion: SearchCriterion) {
    const { name, device } = criterion;
    if (name.isLiteral) {
      yield withMatchingCredentials(await this.byName.find(rp, [name.text]), device);
    } else yield* this.ofPattern(rp, criterion);
  }

  /**
   * A rename could move a user behind the position of a search by names. So if few names match the prefix, the users
   * are found at once; otherwise they are read in the order of their creation.
   */
  private async *ofPattern(rp: RelyingParty, criterion: SearchCriterion) {
    const { name, device } = criterion;
    const few = await this.search.idsOf(rp, name, IDS_PER_STATEMENT);
    if (few) {
      for (const ids of splitIntoParts(few, USERS_PER_STATEMENT))
        yield await this.search.byIds(rp, ids, criterion);
      return;
    }
    const order = { by: 'created', descending: false } as const;
    for await (const users of this.list.slices(
      [rp],
      { name, filter: {}, order },
      USERS_PER_STATEMENT,
    )) {
      yield withMatchingCredentials(users, device);
    }
  }

  /** Users of the predecessor who match, except those who are another user at the successor. */
  private async *ofPredecessor(
    { rp, predecessor }: { readonly rp: RelyingParty; readonly predecessor: RelyingParty },
    { criterion, credentialId }: ChangeSelection,
  ) {
    const name = comparablePattern(rp, criterion.name);
    const isMeant = (username: string) =>
      credentialId !== undefined || name.matches(nameKey(rp, username));
    for await (const predecessorUsers of this.slices(predecessor, criterion)) {
      const users = { successorUsers: [], predecessorUsers };
      const found = await this.linked.withCounterparts(rp, users, isMeant);
      if (found.length > 0) yield found.map(({ user }) => user);
    }
  }

  /** The same users at the predecessor if their names there do not match. */
  private async othersOf(
    rp: RelyingParty,
    successorUsers: readonly FoundUser[],
    { name, device }: SearchCriterion,
  ): Promise<FoundUser[]> {
    const both = { successorUsers, predecessorUsers: [] };
    const found = await this.linked.withCounterparts(rp, both, () => true);
    const others = found
      .map(({ user }) => user)
      .filter((user) => !user.relyingParty.id.equals(rp.id) && !matchesName(user, name));
    const reread = await Promise.all(others.map((user) => this.search.reread(user, device)));
    return reread.filter((user) => user !== undefined);
  }

  /** Narrows the search to the owner of the only credential, found through an index, instead of all users. */
  private async ownersOf(
    rps: readonly RelyingParty[],
    criterion: SearchCriterion,
    credentialId: Buffer,
  ): Promise<SearchCriterion | undefined> {
    for (const rp of rps) {
      const credential = await this.reader.findByHash(rp, credentialHashOf(credentialId));
      if (credential) return { ...criterion, name: Pattern.literal(credential.username) };
    }
    return undefined;
  }
}
