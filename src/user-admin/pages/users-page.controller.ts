import { Readable } from 'node:stream';
import { Controller, Get, Query, Render, StreamableFile, UseInterceptors } from '@nestjs/common';
import { CountedSearch } from '../../credentials/counted-search.js';
import { Pattern } from '../../credentials/pattern.js';
import { AskedName } from '../../credentials/search/asked-name.js';
import { PeopleSearch } from '../../credentials/search/people-search.js';
import { DisabledSearch } from '../../credentials/disabled-search.js';
import type { FoundUser } from '../../credentials/user-rows.js';
import { UserSearch, isCalled } from '../../credentials/user-search.js';
import { ApiExcludeController } from '../../http/openapi.js';
import { PageInterceptor } from '../../presentation/page.interceptor.js';
import { CurrentAccount } from '../../security/account.js';
import type { Account } from '../../security/account.js';
import { Allow } from '../../security/allow.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { DtoPipe } from '../../validation/dto.pipe.js';
import { cursorOf, positionOf } from '../cursor.js';
import { disabledCursorOf, disabledPositionOf } from './disabled-cursor.js';
import { PageScope } from './page-scope.js';
import { UsersQuery } from './pages.dto.js';
import { usersCsv } from './users.csv.js';
import { usersPage } from './users.view.js';
import type { UsersView } from './users.view.js';

const LIMIT = 50;
/** People wait for a search among a million names longer than programs do for a page of a list. */
const BUDGET_MS = 400;
const BATCH = 500;
/** Of a search by words: in a file, as many as one looks through. */
const MOST_IN_FILE = 10_000;
const FILE_BUDGET_MS = 2_000;
/** The state of who has a disabled key. */
const DISABLED = 'disabled';

/** Words of a name, or how user names are written, and whether a user fits. */
type Sought = { readonly fits: (user: FoundUser) => boolean } & (
  | { readonly text: string; readonly name?: never }
  | { readonly text?: never; readonly name: Pattern }
);

/** What is looked for: words, or where there are none, or an asterisk, how the user name is written. */
function soughtIn(filter: string | undefined): Sought {
  const text = filter?.trim() ?? '';
  const asked = new AskedName(text);
  if (asked.hasWords && !text.includes('*')) {
    return { text, fits: (user: FoundUser) => asked.fits(user) };
  }
  const name = new Pattern(text.includes('*') ? text : `${text}*`);
  return { name, fits: (user: FoundUser) => isCalled(user, name) };
}

/** The page on which a help desk finds people. */
@ApiExcludeController()
@Allow('users:read')
@Controller('userapi')
export class UsersPageController {
  constructor(
    private readonly scope: PageScope,
    private readonly search: UserSearch,
    private readonly counted: CountedSearch,
    private readonly people: PeopleSearch,
    private readonly disabled: DisabledSearch,
  ) {}

  @Get()
  @UseInterceptors(PageInterceptor)
  @Render('users')
  async show(
    @Query(DtoPipe) { filter, rp: domain, cursor, state }: UsersQuery,
    @CurrentAccount() account: Account,
  ): Promise<UsersView> {
    const choices = this.scope.choices(account, domain);
    const asked = { filter, domain, cursor, choices, disabled: state === DISABLED };
    const rps = this.scope.some(account, domain);
    const { text, name, fits } = soughtIn(filter);
    if (asked.disabled) {
      const from = cursor === undefined ? undefined : disabledPositionOf(cursor);
      const page = await this.disabled.page(rps, fits, { limit: LIMIT, from, budgetMs: BUDGET_MS });
      const next = page.next && disabledCursorOf(page.next);
      return usersPage({ users: page.users, next, account, asked });
    }
    if (!name) {
      const { users, ...people } = await this.people.find(rps, text, { limit: LIMIT });
      return usersPage({ users, people, account, asked });
    }
    const after = cursor === undefined ? undefined : positionOf(cursor);
    const span = { limit: LIMIT, after, budgetMs: BUDGET_MS };
    const { users, next, ...total } = await this.counted.page(rps, { name }, span);
    return usersPage({ users, next: next && cursorOf(next), total, account, asked });
  }

  /** All that the page's search finds, however many they are: written while they are read. */
  @Get('users.csv')
  export(
    @Query(DtoPipe) { filter, rp, state }: UsersQuery,
    @CurrentAccount() account: Account,
  ): StreamableFile {
    const rps = this.scope.some(account, rp);
    const sought = soughtIn(filter);
    const type = 'text/csv; charset=utf-8';
    const batches =
      state === DISABLED ? this.disabled.pages(rps, sought.fits, BATCH) : this.batches(rps, sought);
    return new StreamableFile(Readable.from(usersCsv(batches)), {
      type,
      disposition: 'attachment; filename="users.csv"',
    });
  }

  private async *batches(rps: readonly RelyingParty[], { text, name }: Sought) {
    if (name) return yield* this.search.pages(rps, { name }, BATCH);
    const span = { limit: MOST_IN_FILE, budgetMs: FILE_BUDGET_MS };
    yield (await this.people.find(rps, text, span)).users;
  }
}
