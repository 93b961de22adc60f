import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { TimedTurns, withoutTurns, type ReadTurn } from '../../platform/common/turns.js';
import { splitIntoParts } from '../../platform/common/split-into-parts.js';
import { Database } from '../../platform/database/database.js';
import { scope } from '../../platform/database/scope.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { normalizeName, truncateUtf8 } from '../../platform/validation/values/names.js';
import { distinctBytes, mapKey } from '../../platform/database/row-ids.js';
import { EarlierNames } from '../earlier-names/earlier-names.js';
import type { FoundUser } from '../user-rows.js';
import { readUsers } from '../users-by-name.js';
import { NAMES_OF_USERS } from '../user-name.statements.js';
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

interface Candidates {
  readonly ids: readonly Buffer[];
  /** Whether these are all candidates. */
  readonly all: boolean;
}

/** One call of `find`. */
interface Search extends Required<Omit<Span, 'turn'>> {
  readonly query: SearchText;
  readonly turns: TimedTurns;
}

const NONE_YET: Candidates = { ids: [], all: false };
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
    const turns = new TimedTurns(turn);
    const found: FoundUser[] = [];
    let more = false;
    let next: SearchPlace | undefined;
    const at = rps.findIndex(({ domain }) => domain === from?.domain);
    // If the relying party was removed since, the search begins again.
    const search = { query, turns, limit, budgetMs, from: at < 0 ? undefined : from };
    const rest = rps.slice(Math.max(at, 0));
    for (const [n, rp] of rest.entries()) {
      if (n > 0 && turns.tookMs >= budgetMs) {
        found.push(...(await this.findByName(rest.slice(n), search)));
        more = true;
        next ??= { domain: rp.domain, lookedAt: 0 };
        break;
      }
      const { users, mayHaveMore, lookedAt } = await this.findIn(rp, search, false);
      found.push(...users);
      more ||= mayHaveMore;
      if (lookedAt !== undefined) next ??= { domain: rp.domain, lookedAt };
    }
    const ranked = found.map((user) => ({ user, rank: query.rank(user) }));
    const best = ranked.sort((a, b) => a.rank - b.rank).slice(0, limit);
    const users = best.map(({ user }) => user);
    const complete = await this.filling.isDone(rps);
    return { users, more: more || found.length > limit, complete, next };
  }

  /**
   * Users whose names begin with the text or who had this name before, which an index finds. There may be a thousand
   * relying parties: a statement finds out which of a hundred have any.
   */
  private async findByName(rps: readonly RelyingParty[], search: Search): Promise<FoundUser[]> {
    // An earlier call has found these users.
    if (search.from) return [];
    const { query, turns } = search;
    const name = new Pattern(`${query.text}*`);
    const { folded } = name;
    const range = { from: name.from, to: name.to, foldedFrom: folded.from, foldedTo: folded.to };
    const params = { ...range, earlier: Buffer.from(normalizeName(query.text), 'utf8') };
    const found: FoundUser[] = [];
    for (const part of splitIntoParts(rps, PER_STATEMENT)) {
      const ids = part.map(({ id }) => id);
      const rows = await turns.take(() =>
        this.database.query(RELYING_PARTIES_WITH_NAME, { ...params, ids }),
      );
      const having = new Set(rows.map(({ id }) => mapKey(id)));
      for (const rp of part.filter(({ id }) => having.has(mapKey(id)))) {
        found.push(...(await this.findIn(rp, search, true)).users);
      }
    }
    return found;
  }

  /**
   * @param isLate whether only names that begin with the text, and earlier names, are looked up, which an index finds
   * @returns the users, whether there may be more, and where the search ran out of time
   */
  private async findIn(rp: RelyingParty, search: Search, isLate: boolean) {
    const { query, turns, limit, from } = search;
    const name = new Pattern(`${query.text}*`);
    const begun = await this.names.page([rp], { name }, { limit, turn: turns.take });
    const known = new Set(begun.users.map(({ id }) => mapKey(id)));
    const candidates = isLate
      ? NONE_YET
      : await turns.take(() => this.candidates(rp, query, limit + 1));
    const others = candidates.ids.filter((id) => !known.has(mapKey(id)));
    const { ids, stopped, lookedAt } = await this.matching(rp, search, others);
    const renamed = from
      ? []
      : (await this.earlier.formerOwners(rp, query.text)).map(({ userId }) => userId);
    const further = distinctBytes([...ids, ...renamed]);
    const unknown = further.filter((id) => !known.has(mapKey(id)));
    // The previous call has found users by the beginnings of their names.
    const users = from ? [] : [...begun.users];
    for (const part of splitIntoParts(unknown, PER_STATEMENT)) {
      users.push(...(await turns.take(() => readUsers(this.database, rp, part))));
    }
    return {
      users,
      mayHaveMore: begun.next !== undefined || !candidates.all || stopped,
      lookedAt,
    };
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

  /** @param others candidates whose names do not begin with the text */
  private async matching(
    rp: RelyingParty,
    { query, limit, turns, budgetMs, from }: Search,
    others: readonly Buffer[],
  ): Promise<{ ids: Buffer[]; stopped: boolean; lookedAt?: number }> {
    const start = rp.domain === from?.domain ? from.lookedAt : 0;
    const ids: Buffer[] = [];
    for (let at = start; at < others.length; at += PER_STATEMENT) {
      if (ids.length > limit) return { ids, stopped: true };
      if (at > start && turns.tookMs >= budgetMs) return { ids, stopped: true, lookedAt: at };
      const part = others.slice(at, at + PER_STATEMENT);
      const fitting = await turns.take(() => this.fitting(rp, query, part));
      ids.push(...part.filter((id) => fitting.has(mapKey(id))));
      // Folding takes a while: sign-ins run in between.
      await yieldToEventLoop();
    }
    return { ids: ids.slice(0, limit + 1), stopped: false };
  }

  private async fitting(rp: RelyingParty, query: SearchText, ids: readonly Buffer[]) {
    const rows = await this.database.query(NAMES_OF_USERS, { ...scope(rp), ids });
    const fitting = rows.filter(({ username, displayName }) =>
      query.fits({ username: username.toString('utf8'), displayName }),
    );
    return new Set(fitting.map(({ id }) => mapKey(id)));
  }
}
