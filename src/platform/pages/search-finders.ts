import { Injectable } from '@nestjs/common';
import type { Account } from '../access/accounts/account.js';
import { may, type Permission } from '../access/permissions.js';
import { Registry } from '../common/registry.js';
import type { ReadTurn } from '../common/turns/read-turns.js';
import type { Language } from './languages/languages.js';
import type { Text } from './languages/phrase.js';

/** The kinds of things that the search finds, in the order in which its page shows them. */
const KINDS = [
  'requests',
  'codes',
  'keys',
  'invoices',
  'users',
  'tenants',
  'models',
  'accounts',
  'pages',
] as const;

type SearchKind = (typeof KINDS)[number];

export interface SearchRequest {
  /** Without white space around it; not empty, except for the list of all pages. */
  readonly text: string;
  /** The account that searches: a finder finds nothing that it may not see. */
  readonly account: Account;
  /** The language of the page, for finders of texts. */
  readonly language: Language;
  readonly turn: ReadTurn;
}

interface SearchMatch {
  readonly title: Text;
  readonly address: string;
  readonly detail?: Text | undefined;
}

/** What a finder finds. */
export interface FoundMatches {
  readonly matches: readonly SearchMatch[];
  /** The page with all matches, if these may be only some. */
  readonly more?: string | undefined;
  /** Whether nothing matches, and these are similar. */
  readonly areSimilar?: boolean;
  /** Whether there may be more similar ones, for which there is no page. */
  readonly arePart?: boolean;
}

/** Finds one kind of things; the features register theirs. */
export interface SearchFinder {
  readonly kind: SearchKind;
  readonly permission: Permission;
  find(request: SearchRequest): FoundMatches | Promise<FoundMatches>;
}

interface SearchGroup extends FoundMatches {
  readonly kind: SearchKind;
}

/** The maximum number of matches of a kind. */
export const MAX_MATCHES = 8;

/** The finders of the one search. */
@Injectable()
export class SearchFinders {
  private readonly finders = new Registry<SearchKind, SearchFinder>();

  register(finder: SearchFinder): void {
    this.finders.set(finder.kind, finder);
  }

  /** Finds what the account may see, by kind, without kinds of which nothing was found. */
  async find(request: SearchRequest): Promise<readonly SearchGroup[]> {
    const finders = KINDS.flatMap((kind) => this.finders.get(kind) ?? []);
    const allowed = finders.filter(({ permission }) => may(request.account, permission));
    const groups = await Promise.all(
      allowed.map(async (finder) => ({ ...(await finder.find(request)), kind: finder.kind })),
    );
    return groups.filter(({ matches }) => matches.length > 0);
  }
}
