import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { TimedTurns, withoutTurns, type ReadTurn } from '../../platform/common/turns/read-turns.js';
import { splitIntoParts } from '../../platform/common/split-into-parts.js';
import { Database } from '../../platform/database/database.js';
import { scope } from '../../platform/database/scope.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { normalizeName, truncateUtf8 } from '../../platform/validation/values/names.js';
import { distinctBytes, mapKey } from '../../platform/database/row-ids.js';
import { EarlierNames } from '../earlier-names/earlier-names.js';
import type { WalkPage } from '../list/walk.js';
import type { FoundUser } from '../user-rows.js';
import { readUsers } from '../users-by-name.js';
import { NAMES_OF_USERS } from '../user.statements.js';
import { Pattern, endOfPrefix } from './pattern.js';
import { UserSearch } from './user-search.js';
import { SearchText } from './search-text.js';
import { WORD_BYTES } from './folding.js';
import { SearchFilling } from './search-filling.js';
import { RELYING_PARTIES_WITH_NAME, USERS_OF_WORDS } from './search.statements.js';

export interface NameSearchResult {
  /** The best matches first. */
  readonly users: readonly FoundUser[];
  /** Whether there may be more: not every user with the rarest of the words was examined. */
  readonly more: boolean;
  /** `false` while names are still being added to the index: users may be missing. */
  readonly complete: boolean;
  /** Where a search that ran out of time continues; `undefined` if it is finished. */
  readonly next: SearchPlace | undefined;
}

/** A relying party, and the number of its candidates examined so far. */
export interface SearchPlace {
  readonly domain: string;
  readonly lookedAt: number;
}

interface Span {
  readonly limit: number;
  /** Milliseconds of reading after which the search examines no further relying parties and candidates. */
  readonly budgetMs?: number;
  /** Where an earlier call ended: finds users that it did not examine. */
  readonly from?: SearchPlace | undefined;
  /** If absent, the whole search runs in the caller's turn. */
  readonly turn?: ReadTurn;
}

/** One call of `find`. */
interface Search {
  readonly query: SearchText;
  readonly turns: TimedTurns;
  readonly limit: number;
  readonly budgetMs: number;
}

interface Matches {
  readonly users: readonly FoundUser[];
  /** Whether there may be more. */
  readonly hasMore: boolean;
  /** Where the search ran out of time at a relying party. */
  readonly next?: SearchPlace | undefined;
}

interface SearchedParties {
  /** Of one relying party after the other. */
  readonly matches: readonly Matches[];
  /** The relying parties for which no time was left. */
  readonly left: readonly RelyingParty[];
}

interface Candidates {
  readonly ids: readonly Buffer[];
  /** Whether these are all candidates. */
  readonly all: boolean;
}

const BUDGET_MS = 25;
/** Maximum number of users with one of the words whose names are compared with the other words. */
const MAX_CANDIDATES = 2_000;
/** Relying parties or users. */
const PER_STATEMENT = 100;

/**
 * Finds users by any words of user name or display name, regardless of case and accents. For several words it looks up
 * a rare one and compares the rest, for up to two thousand users. User names that begin with exactly this text are
 * always found, as by `UserSearch`, and so are users who had this name before.
 */
@Injectable()
export class NameSearch {
  constructor(
    private readonly database: Database,
    private readonly names: UserSearch,
    private readonly filling: SearchFilling,
    private readonly earlier: EarlierNames,
  ) {}

  async find(
    rps: readonly RelyingParty[],
    text: string,
    { limit, budgetMs = BUDGET_MS, from, turn = withoutTurns }: Span,
  ): Promise<NameSearchResult> {
    const query = new SearchText(text);
    const search = { query, turns: new TimedTurns(turn), limit, budgetMs };
    const at = rps.findIndex(({ domain }) => domain === from?.domain);
    // If the relying party was removed since, the search begins again.
    const { matches, left } =
      from && at >= 0
        ? await this.nextPage(rps.slice(at), from.lookedAt, search)
        : await this.firstPage(rps, search);
    const found = matches.flatMap(({ users }) => users);
    const ranked = found.map((user) => ({ user, rank: query.rank(user) }));
    const best = ranked.sort((a, b) => a.rank - b.rank).slice(0, limit);
    const isCut = left.length > 0 || matches.some(({ hasMore }) => hasMore);
    return {
      users: best.map(({ user }) => user),
      more: isCut || found.length > limit,
      complete: await this.filling.isDone(rps),
      next: matches.find(({ next }) => next)?.next ?? startOf(left),
    };
  }

  /** Finds users by words while there is time, and at all relying parties by name, which an index finds. */
  private async firstPage(rps: readonly RelyingParty[], search: Search): Promise<SearchedParties> {
    const { matches, left } = await inTime(rps, search, async (rp) => {
      const { begun, ids, ...rest } = await this.byWords(rp, 0, search);
      return { users: await this.withFormerOwners(rp, begun, ids, search), ...rest };
    });
    const late = { users: await this.byName(left, search), hasMore: left.length > 0 };
    return { matches: [...matches, late], left };
  }

  /**
   * Finds further users by words: the first page contains all users who are found by name.
   *
   * @param lookedAt how many candidates at the first of these relying parties were examined
   */
  private nextPage(
    rps: readonly RelyingParty[],
    lookedAt: number,
    search: Search,
  ): Promise<SearchedParties> {
    return inTime(rps, search, async (rp) => {
      const start = rp === rps[0] ? lookedAt : 0;
      const { ids, hasMore, next } = await this.byWords(rp, start, search);
      return { users: await this.read(rp, ids, search), hasMore, next };
    });
  }

  /**
   * Users whose names begin with the text or who had this name before. There may be a thousand relying parties: a
   * statement finds out which of a hundred have any.
   */
  private async byName(rps: readonly RelyingParty[], search: Search): Promise<FoundUser[]> {
    const { query, turns } = search;
    const { from, to, folded } = beginningOf(query);
    const range = { from, to, foldedFrom: folded.from, foldedTo: folded.to };
    const params = { ...range, earlier: Buffer.from(normalizeName(query.text), 'utf8') };
    const found: FoundUser[] = [];
    for (const part of splitIntoParts(rps, PER_STATEMENT)) {
      const ids = part.map(({ id }) => id);
      const rows = await turns.take(() =>
        this.database.query(RELYING_PARTIES_WITH_NAME, { ...params, ids }),
      );
      const having = new Set(rows.map(({ id }) => mapKey(id)));
      for (const rp of part.filter(({ id }) => having.has(mapKey(id)))) {
        const { users } = await this.withBeginning(rp, search);
        found.push(...(await this.withFormerOwners(rp, users, [], search)));
      }
    }
    return found;
  }

  /** Users whose names begin with the text. */
  private withBeginning(rp: RelyingParty, { query, limit, turns }: Search): Promise<WalkPage> {
    return this.names.page([rp], { name: beginningOf(query) }, { limit, turn: turns.take });
  }

  /** Adds to the users found so far those with these IDs, and those who had the name before. */
  private async withFormerOwners(
    rp: RelyingParty,
    found: readonly FoundUser[],
    ids: readonly Buffer[],
    search: Search,
  ): Promise<FoundUser[]> {
    const owners = await this.earlier.formerOwners(rp, search.query.text);
    const others = distinctBytes([...ids, ...owners.map(({ userId }) => userId)]);
    return [...found, ...(await this.read(rp, without(found, others), search))];
  }

  private async read(
    rp: RelyingParty,
    ids: readonly Buffer[],
    { turns }: Search,
  ): Promise<FoundUser[]> {
    const users: FoundUser[] = [];
    for (const part of splitIntoParts(ids, PER_STATEMENT)) {
      users.push(...(await turns.take(() => readUsers(this.database, rp, part))));
    }
    return users;
  }

  /**
   * IDs of users by the words of the text, except those (`begun`) whose names begin with it.
   *
   * @param start how many candidates earlier calls have examined
   */
  private async byWords(rp: RelyingParty, start: number, search: Search) {
    const { query, turns, limit } = search;
    const begun = await this.withBeginning(rp, search);
    const candidates = await turns.take(() => this.candidates(rp, query, limit + 1));
    const others = without(begun.users, candidates.ids);
    const { ids, hasMore, next } = await this.matching(rp, others, start, search);
    const mayHaveMore = hasMore || !candidates.all || begun.next !== undefined;
    return { begun: begun.users, ids, hasMore: mayHaveMore, next };
  }

  /** Users who may match, first those whose complete name begins with the text. */
  private async candidates(
    rp: RelyingParty,
    query: SearchText,
    limit: number,
  ): Promise<Candidates> {
    const [only, second] = query.byLength;
    if (only === undefined) return { ids: [], all: true };
    if (second === undefined) return this.having(rp, only, limit * 2);
    const whole = await this.having(rp, query.phrase, limit);
    const { ids, all } = await this.rarest(rp, query);
    return { ids: distinctBytes([...whole.ids, ...ids]), all };
  }

  /** Users with the first word that is rare; if none is, some of the users with the longest word. */
  private async rarest(rp: RelyingParty, { byLength }: SearchText): Promise<Candidates> {
    let longest: Candidates | undefined;
    for (const word of byLength) {
      const having = await this.having(rp, word, MAX_CANDIDATES);
      if (having.all) return having;
      longest ??= having;
    }
    return longest ?? { ids: [], all: true };
  }

  private async having(rp: RelyingParty, entry: string, limit: number): Promise<Candidates> {
    const from = Buffer.from(truncateUtf8(WORD_BYTES, entry), 'utf8');
    const range = { relyingPartyId: rp.id, from, to: endOfPrefix(from), limit };
    const rows = await this.database.query(USERS_OF_WORDS, range);
    return { ids: distinctBytes(rows.map(({ userId }) => userId)), all: rows.length < limit };
  }

  /** Those candidates from the position `start` on that match, until there are enough or the time is over. */
  private async matching(
    rp: RelyingParty,
    candidates: readonly Buffer[],
    start: number,
    { query, limit, turns, budgetMs }: Search,
  ): Promise<{ ids: Buffer[]; hasMore: boolean; next?: SearchPlace }> {
    const ids: Buffer[] = [];
    for (let at = start; at < candidates.length; at += PER_STATEMENT) {
      if (ids.length > limit) return { ids, hasMore: true };
      if (at > start && turns.tookMs >= budgetMs) {
        return { ids, hasMore: true, next: { domain: rp.domain, lookedAt: at } };
      }
      const part = candidates.slice(at, at + PER_STATEMENT);
      const fitting = await turns.take(() => this.fitting(rp, query, part));
      ids.push(...part.filter((id) => fitting.has(mapKey(id))));
      // Folding takes a while: sign-ins run in between.
      await yieldToEventLoop();
    }
    return { ids: ids.slice(0, limit + 1), hasMore: false };
  }

  private async fitting(rp: RelyingParty, query: SearchText, ids: readonly Buffer[]) {
    const rows = await this.database.query(NAMES_OF_USERS, { ...scope(rp), ids });
    const fitting = rows.filter(({ username, displayName }) =>
      query.fits({ username: username.toString('utf8'), displayName }),
    );
    return new Set(fitting.map(({ id }) => mapKey(id)));
  }
}

/** Searches one relying party after another, at least the first, until the time is over. */
async function inTime(
  rps: readonly RelyingParty[],
  { turns, budgetMs }: Search,
  search: (rp: RelyingParty) => Promise<Matches>,
): Promise<SearchedParties> {
  const matches: Matches[] = [];
  for (const [n, rp] of rps.entries()) {
    if (n > 0 && turns.tookMs >= budgetMs) return { matches, left: rps.slice(n) };
    matches.push(await search(rp));
  }
  return { matches, left: [] };
}

/** Where a search continues for which there was no time at these relying parties. */
const startOf = ([first]: readonly RelyingParty[]): SearchPlace | undefined =>
  first && { domain: first.domain, lookedAt: 0 };

const beginningOf = ({ text }: SearchText): Pattern => new Pattern(`${text}*`);

/** The IDs of other users than these. */
function without(users: readonly FoundUser[], ids: readonly Buffer[]): Buffer[] {
  const known = new Set(users.map(({ id }) => mapKey(id)));
  return ids.filter((id) => !known.has(mapKey(id)));
}
