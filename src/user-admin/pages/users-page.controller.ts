import { Readable } from 'node:stream';
import { Controller, Get, Query, Render, StreamableFile, UseInterceptors } from '@nestjs/common';
import { CountedSearch } from '../../credentials/counted-search.js';
import { Pattern } from '../../credentials/pattern.js';
import { DisabledSearch } from '../../credentials/disabled-search.js';
import { UserSearch } from '../../credentials/user-search.js';
import { ApiExcludeController } from '../../http/openapi.js';
import { PageInterceptor } from '../../presentation/page.interceptor.js';
import { CurrentAccount } from '../../security/account.js';
import type { Account } from '../../security/account.js';
import { Allow } from '../../security/allow.js';
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
/** The state of who has a disabled key. */
const DISABLED = 'disabled';

/** Who looks for `ada` means everybody whose name begins so. */
const patternOf = (filter: string | undefined): Pattern => {
  const text = filter?.trim() ?? '';
  return new Pattern(text.includes('*') ? text : `${text}*`);
};

/** The page on which a help desk finds people. */
@ApiExcludeController()
@Allow('users:read')
@Controller('userapi')
export class UsersPageController {
  constructor(
    private readonly scope: PageScope,
    private readonly search: UserSearch,
    private readonly counted: CountedSearch,
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
    const name = patternOf(filter);
    if (asked.disabled) {
      const from = cursor === undefined ? undefined : disabledPositionOf(cursor);
      const page = await this.disabled.page(rps, name, { limit: LIMIT, from, budgetMs: BUDGET_MS });
      const next = page.next && disabledCursorOf(page.next);
      return usersPage({ users: page.users, next, account, asked });
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
    const name = patternOf(filter);
    const type = 'text/csv; charset=utf-8';
    const batches =
      state === DISABLED
        ? this.disabled.pages(rps, name, BATCH)
        : this.search.pages(rps, { name }, BATCH);
    return new StreamableFile(Readable.from(usersCsv(batches)), {
      type,
      disposition: 'attachment; filename="users.csv"',
    });
  }
}
