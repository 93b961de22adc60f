import { setImmediate as turnOfOthers, setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Change } from '../../credentials/user-changes.js';
import { UserChanges } from '../../credentials/user-changes.js';
import type { FoundUser } from '../../credentials/user-rows.js';
import { CredentialReader } from '../../credentials/credential-reader.js';
import { Pattern } from '../../credentials/pattern.js';
import { CountedSearch } from '../../credentials/counted-search.js';
import { UserSearch } from '../../credentials/user-search.js';
import type { Criterion, Page, Position } from '../../credentials/user-search.js';
import { ApiError } from '../../errors/api-error.js';
import { ok } from '../../http/ok.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { AuthenticatorModels } from '../../trust/authenticator-models.js';
import { cursorOf } from '../cursor.js';
import type { ChangeAnswer, ListAnswer } from './manage-users.answer.js';
import type { ListUsersQuery, ManageUsersDto } from './manage-users.dto.js';
import type { OperationType } from './operations.js';
import { userJson } from './user-json.js';
import { WholeList, begun } from './whole-list.js';

/** A change, and the users and devices that it is for. */
interface ChangeRequest {
  readonly type: OperationType;
  readonly change: Change;
  readonly criterion: Criterion;
  /** The one credential that is meant, where the request does not say whose it is. */
  readonly credentialId: Buffer | undefined;
}

/** What a change did, in all and at each relying party. */
export interface Changes {
  readonly answer: ChangeAnswer;
  readonly at: readonly ChangedAt[];
}

export interface ChangedAt {
  readonly relyingParty: RelyingParty;
  readonly users: number;
  readonly credentials: number;
}

/** Users of a page where the request has a cursor and no limit. */
const DEFAULT_LIMIT = 100;
/** Users that are read or changed together, before others have their turn. */
const BATCH = 200;
const PAUSE_MS = 10;
/** Changed users that an answer lists; a change may touch any number. */
const MAX_AFFECTED = 10_000;

const nobody = () => new ApiError('E0044R', 'No user or device matches.');

/** Lists and changes users, found by the same search. */
@Injectable()
export class ManageUsersService {
  constructor(
    private readonly search: UserSearch,
    private readonly counted: CountedSearch,
    private readonly changes: UserChanges,
    private readonly models: AuthenticatorModels,
    private readonly reader: CredentialReader,
  ) {}

  /** A page of the users who match, or all of them where the request names neither limit nor cursor. */
  async list(
    rps: readonly RelyingParty[],
    asked: ListUsersQuery | ManageUsersDto,
  ): Promise<ListAnswer | WholeList> {
    const { limit, cursor: after } = asked;
    const criterion = asked.criterion();
    if (limit === undefined && after === undefined) {
      return new WholeList(await begun(this.everybody(rps, criterion)));
    }
    const span = { limit: limit ?? DEFAULT_LIMIT, after };
    const { users, next, total, exact } = await this.counted.page(rps, criterion, span);
    return ok({
      total,
      ...(exact ? {} : { totalExact: false }),
      users: users.map((user) => userJson(user, this.models)),
      next: next ? cursorOf(next) : null,
    });
  }

  /** Yields each page, empty ones too: only between pages can a caller who has gone away end the search. */
  private async *everybody(rps: readonly RelyingParty[], criterion: Criterion) {
    let after: Position | undefined;
    do {
      const { users, next }: Page = await this.search.page(rps, criterion, { limit: BATCH, after });
      yield users.map((user) => userJson(user, this.models));
      // A fast reader of a fast database must not hold up everybody else.
      await turnOfOthers();
      after = next;
    } while (after);
  }

  /**
   * Changes all that match, batch by batch. A call that is cut off can be made again: what is changed already
   * stays so.
   *
   * @throws ApiError E0044R when no user, or no device of one, matches
   */
  async change(
    rps: readonly RelyingParty[],
    { type, change, ...asked }: ChangeRequest,
    requestId: string,
  ): Promise<Changes> {
    const criterion = await this.criterionOf(rps, asked);
    const affected: ChangeAnswer['affected'][number][] = [];
    const count = { matched: 0, users: 0, credentials: 0 };
    const at = rps.map((relyingParty) => ({ relyingParty, users: 0, credentials: 0 }));
    const changed = async (user: FoundUser): Promise<void> => {
      const touched = await this.changes.apply(change, user, {
        requestId,
        device: criterion.device,
        background: count.matched > 1,
      });
      if (!touched) return;
      for (const one of [count, ...at.filter((one) => one.relyingParty === user.relyingParty)]) {
        one.users += 1;
        one.credentials += touched.length;
      }
      const credentialIds = touched.map(({ credentialId }) => credentialId.toString('base64url'));
      if (affected.length < MAX_AFFECTED) affected.push({ username: user.username, credentialIds });
    };
    for await (const users of this.search.pages(rps, criterion, BATCH)) {
      if (count.matched > 0) await pause(PAUSE_MS);
      count.matched += users.length;
      await Promise.all(users.map(changed));
    }
    if (count.matched === 0) throw nobody();
    const { users, credentials } = count;
    const complete = affected.length === users ? {} : ({ affectedComplete: false } as const);
    return { answer: ok({ type, users, credentials, affected, ...complete }), at };
  }

  /** Narrows the search to the owner of the one credential, whom an index finds, instead of all users. */
  private async criterionOf(
    rps: readonly RelyingParty[],
    { criterion, credentialId }: Pick<ChangeRequest, 'criterion' | 'credentialId'>,
  ): Promise<Criterion> {
    if (!credentialId) return criterion;
    for (const rp of rps) {
      const credential = await this.reader.findCredential(rp, credentialId);
      if (credential) return { ...criterion, name: Pattern.literal(credential.username) };
    }
    throw nobody();
  }
}
