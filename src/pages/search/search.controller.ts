import { Get, Query } from '@nestjs/common';
import type { Request } from 'express';
import { readTurnOf, type Reader } from '../../platform/common/turns/read-turns.js';
import { CurrentAccount, type Account } from '../../platform/access/accounts/account.js';
import { CurrentReader } from '../../platform/access/limits/current-reader.js';
import { CurrentRequest } from '../../platform/common/from-request.js';
import { languageFor } from '../../platform/pages/languages/languages.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { Page, PageController } from '../../platform/pages/page.interceptor.js';
import { SearchFinders } from '../../platform/pages/search-finders.js';
import { MayBeText } from '../../platform/validation/decorators.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { normalizeName } from '../../platform/validation/values/names.js';
import { PAGE_FINDER } from './page-finder.js';

class SearchQuery {
  @MayBeText()
  q?: string;
}

/** The one search: users, requests, error codes, keys, models, tenants, invoices, accounts and pages. */
@PageController('userapi/search', 'dashboard:read')
export class SearchController {
  constructor(private readonly finders: SearchFinders) {
    finders.register(PAGE_FINDER);
  }

  @Get()
  @Page('search')
  async show(
    @Query(DtoPipe) { q = '' }: SearchQuery,
    @CurrentAccount() account: Account,
    @CurrentReader() reader: Reader,
    @CurrentRequest() request: Request,
  ) {
    const text = normalizeName(q).trim();
    const language = languageFor(request);
    const wanted = { text, account, language, turn: readTurnOf(reader) };
    const groups = text === '' ? [] : await this.finders.find(wanted);
    return {
      title: text === '' ? phrase('search:title') : phrase('search:titleOf', { text }),
      texts: 'search',
      q,
      isFound: groups.length > 0,
      groups: groups.map(({ kind, areSimilar, ...found }) => ({
        ...found,
        kind,
        heading: phrase(`search:kinds.${areSimilar ? 'similar' : kind}`),
      })),
    };
  }
}
