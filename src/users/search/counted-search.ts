import { Injectable } from '@nestjs/common';
import {
  BackgroundCounts,
  type MatchCount,
} from '../../platform/common/turns/background-counts.js';
import { withoutTurns } from '../../platform/common/turns/read-turns.js';
import { Database } from '../../platform/database/database.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import type { WalkPage } from '../list/walk.js';
import { nameFormOf } from '../name-forms.js';
import { NAME_SEARCH } from '../user.statements.js';
import { nextBytes, type Pattern } from './pattern.js';
import {
  UserSearch,
  comparablePattern,
  type SearchCriterion,
  type PageSpan,
} from './user-search.js';

const NAMES_PER_STATEMENT = 20_000;
const DEVICE_MS = 30;
const MAX_BY_DEVICE = 10_000;

/** Pages of matching users, and their number, which is counted at the same time. */
@Injectable()
export class CountedSearch {
  constructor(
    private readonly database: Database,
    private readonly search: UserSearch,
    private readonly counts: BackgroundCounts,
  ) {}

  /** A page of the matching users, and the number of all of them. */
  async page(
    rps: readonly RelyingParty[],
    criterion: SearchCriterion,
    span: PageSpan,
  ): Promise<WalkPage & MatchCount> {
    const [page, { total, exact }] = await Promise.all([
      this.search.page(rps, criterion, span),
      (span.turn ?? withoutTurns)(() => this.of(rps, criterion)),
    ]);
    const shown = page.users.length;
    // A page that contains all of them is more reliable than a count that took too long.
    if (!span.after && !page.next) return { ...page, total: shown, exact: true };
    return { ...page, total: Math.max(total, shown), exact };
  }

  private async of(rps: readonly RelyingParty[], criterion: SearchCriterion): Promise<MatchCount> {
    const { name, device } = criterion;
    if (device) {
      const span = { limit: MAX_BY_DEVICE, budgetMs: DEVICE_MS };
      const { users, next } = await this.search.page(rps, criterion, span);
      return { total: users.length, exact: !next };
    }
    return this.counts.of({
      key: ['names', rps.map(({ domain }) => domain), name.text],
      slices: () => this.slices(rps, name),
    });
  }

  /** The number of matches in each slice of the index of names. */
  private async *slices(
    rps: readonly RelyingParty[],
    pattern: Pattern,
  ): AsyncGenerator<number, void> {
    for (const rp of rps) {
      const name = comparablePattern(rp, pattern);
      let from: Buffer | undefined = name.from;
      while (from) {
        const slice: { n: number; next: Buffer | undefined } = await this.slice(rp, name, from);
        yield slice.n;
        from = slice.next;
      }
    }
  }

  /** Counts a slice; `next` is where the next one begins, `undefined` after the last. */
  private async slice(rp: RelyingParty, name: Pattern, from: Buffer) {
    const statements = nameFormOf(rp, NAME_SEARCH);
    const range = { relyingPartyId: rp.id, from, to: name.to, most: NAMES_PER_STATEMENT };
    const [counted] = await this.database.query(statements.countNames, range);
    const { n: read, last } = counted ?? { n: 0, last: null };
    if (last === null) return { n: 0, next: undefined };
    const n = name.isRange ? Number(read) : await this.matches(rp, name, { ...range, last });
    return { n, next: Number(read) < NAMES_PER_STATEMENT ? undefined : nextBytes(last) };
  }

  private async matches(
    rp: RelyingParty,
    name: Pattern,
    range: { relyingPartyId: Buffer; from: Buffer; to: Buffer; most: number; last: Buffer },
  ): Promise<number> {
    const { candidateNames } = nameFormOf(rp, NAME_SEARCH);
    const names = await this.database.query(candidateNames, { ...range, needle: name.needle });
    return names.filter((one) => name.matches(one.name.toString('utf8'))).length;
  }
}
