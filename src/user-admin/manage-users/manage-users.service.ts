import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, StreamableFile } from '@nestjs/common';
import type { AuditEntry } from '../../audit/audit-entry.js';
import { allSettled } from '../../platform/common/all-settled.js';
import { eachInTurn, takeTurn, type Reader } from '../../platform/common/turns.js';
import { addEnded } from '../../users/lock-outs.js';
import { UserChanges, isLockOut, type UserChange } from '../../users/user-changes.js';
import { keyName, type FoundUser } from '../../users/user-rows.js';
import { CountedSearch } from '../../users/search/counted-search.js';
import { UserSearch, type Criterion } from '../../users/search/user-search.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { withFirstItem } from '../../platform/http/text-file.js';
import { ok } from '../../platform/http/ok.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { AuthenticatorModels } from '../../trust/authenticator-models.js';
import { cursorOf } from '../list-cursors.js';
import { ChangeTargets, type ChangeSelection } from './change-targets.js';
import {
  userJson,
  type ChangeAnswer,
  type ListAnswer,
  type UserView,
} from './manage-users.answer.js';
import type { ListUsersQuery, ManageUsersDto } from './manage-users.dto.js';
import type { OperationType } from './operations.js';

interface ChangeRequest extends ChangeSelection {
  readonly type: OperationType;
  readonly change: UserChange;
  /** The account that makes the change. */
  readonly account: string;
  readonly requestId: string;
  /** Creates the audit row of a user, which is stored with the user's change. */
  readonly audit: (user: FoundUser) => AuditEntry;
}

/** Users on a page if the request has a cursor but no limit. */
const DEFAULT_LIMIT = 100;
/** Users that are read or changed together, before other tasks run. */
const BATCH = 200;
const PAUSE_MS = 10;
/** The maximum number of changed users in an answer; a change may affect any number. */
const MAX_AFFECTED = 10_000;

type Pages = AsyncIterable<readonly UserView[]>;

/**
 * All matching users as JSON, streamed while they are read, so that memory contains one page. Reading stops
 * when the caller disconnects. If the database fails, the connection is aborted, so that callers do not take a
 * part for the whole. `total` follows the users, since it is counted on the way.
 */
export class WholeList extends StreamableFile {
  /** @param pages read once: as JSON, or by the writer of another format */
  constructor(
    readonly pages: Pages,
    readonly reader: Reader,
  ) {
    super(Readable.from(eachInTurn(reader, jsonOf(pages))), {
      type: 'application/json; charset=utf-8',
    });
  }
}

async function* jsonOf(pages: Pages): AsyncGenerator<string> {
  let total = 0;
  yield '{"status":"ok","errorMessage":"","users":[';
  for await (const users of pages) {
    const separator = total === 0 || users.length === 0 ? '' : ',';
    // A line end for each page, including empty ones, shows that a long search is in progress.
    yield `${separator}${users.map((user) => JSON.stringify(user)).join()}\n`;
    total += users.length;
  }
  yield `],"total":${total},"next":null}`;
}

/** Lists and changes users, with the same search for both. */
@Injectable()
export class ManageUsersService {
  constructor(
    private readonly search: UserSearch,
    private readonly counted: CountedSearch,
    private readonly changes: UserChanges,
    private readonly models: AuthenticatorModels,
    private readonly targets: ChangeTargets,
  ) {}

  /** A page of the matching users, or all of them if the request contains neither limit nor cursor. */
  async list(
    rps: readonly RelyingParty[],
    query: ListUsersQuery | ManageUsersDto,
    reader: Reader,
  ): Promise<ListAnswer | WholeList> {
    const { limit, cursor: after } = query;
    const criterion = query.criterion();
    if (limit === undefined && after === undefined) {
      return new WholeList(await withFirstItem(reader, this.allPages(rps, criterion)), reader);
    }
    const span = { limit: limit ?? DEFAULT_LIMIT, after };
    return takeTurn(reader, async () => {
      const { users, next, total, exact } = await this.counted.page(rps, criterion, span);
      return ok({
        total,
        ...(exact ? {} : { totalExact: false as const }),
        users: users.map((user) => userJson(user, this.models)),
        next: next ? cursorOf(next) : null,
      });
    });
  }

  private async *allPages(rps: readonly RelyingParty[], criterion: Criterion) {
    for await (const users of this.search.pages(rps, criterion, BATCH)) {
      yield users.map((user) => userJson(user, this.models));
    }
  }

  /**
   * Changes all matches in batches, each user in one unit with the audit row. An interrupted call can be
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
    const ended = { tickets: 0, invitations: 0 };
    const changed = async (user: FoundUser): Promise<void> => {
      const applied = await this.changes.apply(change, user, {
        requestId,
        calledAt: rp,
        by: { account },
        device: criterion.device,
        background: count.matched > 1,
        audit,
      });
      if (!applied) return;
      count.users += 1;
      count.credentials += applied.credentials.length;
      addEnded(ended, applied);
      const credentialIds = applied.credentials.map(keyName);
      if (affected.length < MAX_AFFECTED) affected.push({ username: user.username, credentialIds });
    };
    for await (const users of this.targets.batches(rp, { criterion, credentialId })) {
      if (count.matched > 0) await pause(PAUSE_MS);
      count.matched += users.length;
      await allSettled(users.map(changed));
    }
    if (count.matched === 0) throw new ApiError('E0044R', 'user.noMatch');
    const { users, credentials } = count;
    const complete = affected.length === users ? {} : ({ affectedComplete: false } as const);
    const locksOut = isLockOut(change, criterion);
    return ok({ type, users, credentials, affected, ...(locksOut && { ended }), ...complete });
  }
}
