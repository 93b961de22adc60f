import { Injectable } from '@nestjs/common';
import { TimedTurns, type ReadTurn } from '../../platform/common/turns/read-turns.js';
import { splitIntoParts } from '../../platform/common/split-into-parts.js';
import { Database } from '../../platform/database/database.js';
import { distinctBytes } from '../../platform/database/row-ids.js';
import { scope } from '../../platform/database/scope.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import type { FoundUser } from '../user-rows.js';
import { readUsers } from '../users-by-name.js';
import { NAMES_OF_USERS } from '../user.statements.js';
import { oneEditVariants } from './edits.js';
import { USERS_OF_SAME_WORDS } from './search.statements.js';
import { SearchText } from './search-text.js';

/** Users of a page wait longer than programs. */
const BUDGET_MS = 400;
/** Shorter words have too many neighbours; longer ones have more variants than a statement should take. */
const LETTERS = { least: 4, most: 16 };
/** MariaDB makes a table of a thousand values. */
const VARIANTS_PER_STATEMENT = 512;
/** Maximum number of users with a similar word whose names are compared. */
const MAX_CANDIDATES = 500;

/**
 * Finds the users who may be meant where no name matches: each word of the text, or one that is one edit away, is a
 * word of the user. It looks up the variants of a word in the index of names, so it writes and stores nothing.
 */
@Injectable()
export class SimilarNames {
  constructor(private readonly database: Database) {}

  /** @returns at most `limit` users; fewer relying parties are examined if there are many */
  async find(
    rps: readonly RelyingParty[],
    text: string,
    { limit, turn }: { limit: number; turn: ReadTurn },
  ): Promise<readonly FoundUser[]> {
    const query = new SearchText(text);
    const words = query.byLength.filter(
      ({ length }) => length >= LETTERS.least && length <= LETTERS.most,
    );
    const turns = new TimedTurns(turn);
    const found: FoundUser[] = [];
    for (const rp of rps) {
      if (found.length >= limit || turns.tookMs >= BUDGET_MS) break;
      const ids = await turns.take(() => this.candidates(rp, words));
      const fitting = await turns.take(() => this.fitting(rp, query, ids));
      const wanted = fitting.slice(0, limit - found.length);
      if (wanted.length > 0)
        found.push(...(await turns.take(() => readUsers(this.database, rp, wanted))));
    }
    return found;
  }

  /** The users with a variant of the first word that few have; if none is rare, some of those with the first. */
  private async candidates(rp: RelyingParty, words: readonly string[]): Promise<Buffer[]> {
    let some: Buffer[] | undefined;
    for (const word of words) {
      const having = await this.having(rp, word);
      if (having.length < MAX_CANDIDATES) return having;
      some ??= having;
    }
    return some ?? [];
  }

  private async having({ id }: RelyingParty, word: string): Promise<Buffer[]> {
    const variants = oneEditVariants(word).map((variant) => Buffer.from(variant, 'utf8'));
    const found: Buffer[] = [];
    for (const part of splitIntoParts(variants, VARIANTS_PER_STATEMENT)) {
      const params = { relyingPartyId: id, words: part, limit: MAX_CANDIDATES };
      const rows = await this.database.query(USERS_OF_SAME_WORDS, params);
      found.push(...rows.map(({ userId }) => userId));
    }
    return distinctBytes(found).slice(0, MAX_CANDIDATES);
  }

  private async fitting(rp: RelyingParty, query: SearchText, ids: readonly Buffer[]) {
    if (ids.length === 0) return [];
    const rows = await this.database.query(NAMES_OF_USERS, { ...scope(rp), ids });
    return rows
      .filter(({ username, displayName }) =>
        query.nearlyFits({ username: username.toString('utf8'), displayName }),
      )
      .map(({ id }) => id);
  }
}
