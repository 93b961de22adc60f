import { Injectable } from '@nestjs/common';
import { TimedTurns, withoutTurns, type ReadTurn } from '../../platform/common/turns/read-turns.js';
import { Database } from '../../platform/database/database.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { ignoresCase, nameKey } from '../../tenancy/usernames/name-key.js';
import type { WalkPage, WalkPlace } from '../list/walk.js';
import { sortKeyOf, usersOf, withMatchingCredentials, type FoundUser } from '../user-rows.js';
import { readUsers } from '../users-by-name.js';
import { nameFormOf } from '../name-forms.js';
import { NAME_SEARCH } from '../user.statements.js';
import { nextBytes, type Pattern } from './pattern.js';

/** Selects users, and their credentials by device name or credential ID. */
export interface SearchCriterion {
  readonly name: Pattern;
  readonly device?: Pattern;
}

export interface PageSpan {
  readonly limit: number;
  /** The first name of the page is at or after this place. */
  readonly after?: WalkPlace | undefined;
  /** Milliseconds of reading after which a page ends early, if matches are rare. */
  readonly budgetMs?: number;
  /** Number of names per statement. */
  readonly slice?: number;
  /** If absent, the whole page is read in the caller's turn. */
  readonly turn?: ReadTurn;
}

/** Names from `from` (included) to `to` (not included). */
interface Range {
  readonly rp: RelyingParty;
  readonly from: Buffer;
  readonly to: Buffer;
}

const BUDGET_MS = 30;
const NAMES_PER_STATEMENT = 20_000;
/** Large pages are read in parts, so that others have their turn. */
const USERS_PER_STATEMENT = 200;

/**
 * Finds users by a pattern, for lists and for changes alike. It reads the relying parties in the order of their
 * domains, and the names of each in the order of their bytes, folded if case is ignored: a range of the index if the
 * pattern begins literally.
 *
 * No page takes long: if matches are rare, it ends before its limit, even empty, and says where the next one begins.
 */
@Injectable()
export class UserSearch {
  constructor(private readonly database: Database) {}

  /** @param rps in the order of their domains */
  async page(
    rps: readonly RelyingParty[],
    request: SearchCriterion,
    span: PageSpan,
  ): Promise<WalkPage> {
    const {
      limit,
      after,
      budgetMs = BUDGET_MS,
      slice = NAMES_PER_STATEMENT,
      turn = withoutTurns,
    } = span;
    const turns = new TimedTurns(turn);
    const users: FoundUser[] = [];
    for (const rp of rps) {
      if (after && rp.domain < after.domain) continue;
      const criterion = { ...request, name: comparablePattern(rp, request.name) };
      let from: Buffer | undefined = startIn(rp, criterion, after);
      while (from) {
        const range: Range = { rp, from, to: criterion.name.to };
        // One more than requested shows whether there is a next page.
        const wanted = { want: limit + 1 - users.length, slice };
        const step = await turns.take(() => this.step(range, criterion, wanted));
        users.push(...step.users);
        if (users.length > limit) return cutAt(limit, users);
        from = step.from;
        if (from && !allMatch(criterion) && turns.tookMs >= budgetMs) {
          return { users, next: { domain: rp.domain, at: from } };
        }
      }
    }
    return { users, next: undefined };
  }

  /**
   * All matches, slice by slice. If few users match, some slices are empty: only between slices can a disconnected
   * caller end the search.
   */
  async *slices(rps: readonly RelyingParty[], criterion: SearchCriterion, limit: number) {
    let after: WalkPlace | undefined;
    do {
      const { users, next }: WalkPage = await this.page(rps, criterion, { limit, after });
      yield users;
      after = next;
    } while (after);
  }

  /**
   * IDs of the users whose names begin as the pattern does, all of one moment; `undefined` if it has no literal
   * beginning, or there are more than `most`.
   */
  async idsOf(rp: RelyingParty, pattern: Pattern, most: number): Promise<Buffer[] | undefined> {
    const { from, to } = comparablePattern(rp, pattern);
    if (from.length === 0) return undefined;
    const range = { relyingPartyId: rp.id, from, to, limit: most + 1 };
    const rows = await this.database.query(nameStatements(rp).idsInRange, range);
    return rows.length > most ? undefined : rows.map(({ id }) => id);
  }

  /** The matching users among those with these IDs. */
  async byIds(
    rp: RelyingParty,
    ids: readonly Buffer[],
    { name, device }: SearchCriterion,
  ): Promise<FoundUser[]> {
    const users = await readUsers(this.database, rp, ids);
    return withMatchingCredentials(
      users.filter((user) => matchesName(user, name)),
      device,
    );
  }

  /** The current user, even under another name; `undefined` if it was deleted. */
  async reread(
    { id, relyingParty }: FoundUser,
    device: Pattern | undefined,
  ): Promise<FoundUser | undefined> {
    const [user] = withMatchingCredentials(
      await readUsers(this.database, relyingParty, [id]),
      device,
    );
    return user;
  }

  private async step(
    range: Range,
    criterion: SearchCriterion,
    { want, slice }: { want: number; slice: number },
  ): Promise<{ users: FoundUser[]; from: Buffer | undefined }> {
    const { name, device } = criterion;
    if (allMatch(criterion)) {
      const most = Math.min(want, USERS_PER_STATEMENT);
      const users = await this.read(range, name.needle, most);
      return { users, from: users.length < most ? undefined : afterLast(users) };
    }
    const { rp, from, to } = range;
    const [last] = await this.database.query(nameStatements(rp).nthName, {
      relyingPartyId: rp.id,
      from,
      to,
      n: slice - 1,
    });
    const end = last && nextBytes(last.name);
    const candidates = await this.read(
      { ...range, to: end ?? range.to },
      name.needle,
      USERS_PER_STATEMENT,
    );
    const users = withMatchingCredentials(
      candidates.filter(({ username }) => name.matches(nameKey(range.rp, username))),
      device,
    );
    return { users, from: candidates.length < USERS_PER_STATEMENT ? end : afterLast(candidates) };
  }

  private async read({ rp, from, to }: Range, needle: Buffer, limit: number): Promise<FoundUser[]> {
    const params = { relyingPartyId: rp.id, from, to, needle, limit };
    return usersOf(rp, await this.database.query(nameStatements(rp).usersInRange, params));
  }
}

const nameStatements = (rp: RelyingParty) => nameFormOf(rp, NAME_SEARCH);

/** The pattern in the form in which a relying party compares names. */
export const comparablePattern = (rp: RelyingParty, name: Pattern): Pattern =>
  ignoresCase(rp) ? name.folded : name;

export const matchesName = ({ relyingParty: rp, username }: FoundUser, name: Pattern): boolean =>
  comparablePattern(rp, name).matches(nameKey(rp, username));

/** Whether every user in the range of names matches. */
const allMatch = ({ name, device }: SearchCriterion): boolean => name.isRange && !device;

/** Buffers compare like these columns in both databases; strings would not. */
function startIn(
  { domain }: RelyingParty,
  { name }: SearchCriterion,
  after: WalkPlace | undefined,
) {
  const { from } = name;
  return after?.domain === domain && Buffer.compare(after.at, from) > 0 ? after.at : from;
}

function cutAt(limit: number, found: readonly FoundUser[]): WalkPage {
  const users = found.slice(0, limit);
  const last = users.at(-1) as FoundUser;
  const at = nextBytes(sortKeyOf(last));
  return { users, next: { domain: last.relyingParty.domain, at } };
}

const afterLast = (users: readonly FoundUser[]): Buffer | undefined => {
  const last = users.at(-1);
  return last && nextBytes(sortKeyOf(last));
};
