import { Injectable } from '@nestjs/common';
import { phrase } from '../platform/pages/languages/phrase.js';
import {
  MAX_MATCHES,
  SearchFinders,
  type FoundMatches,
  type SearchFinder,
  type SearchRequest,
} from '../platform/pages/search-finders.js';
import { ACCOUNTS, accountAddress } from './accounts.view.js';
import { VisibleAccounts } from './visible-accounts.js';

/** Finds accounts of the console by a part of their names. */
@Injectable()
export class AccountFinder implements SearchFinder {
  readonly kind = 'accounts';
  readonly permission = 'accounts:read';

  constructor(
    private readonly accounts: VisibleAccounts,
    finders: SearchFinders,
  ) {
    finders.register(this);
  }

  async find({ text, account }: SearchRequest): Promise<FoundMatches> {
    const found = await this.accounts.withNameLike(account, text, MAX_MATCHES + 1);
    return {
      matches: found.slice(0, MAX_MATCHES).map(({ account: { name, role } }) => ({
        title: name,
        address: accountAddress(name),
        detail: phrase(`console:roles.${role}`),
      })),
      more: found.length > MAX_MATCHES ? ACCOUNTS : undefined,
    };
  }
}
