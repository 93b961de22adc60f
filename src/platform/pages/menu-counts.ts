import { Injectable } from '@nestjs/common';
import type { Account } from '../access/accounts/account.js';
import { Registry } from '../common/registry.js';
import type { CountsByEntry, MenuName } from './page.view.js';

/** A number of what calls for attention; `undefined` while it is being counted. */
type MenuCount = (account: Account) => Promise<number | undefined>;

/** Features register the numbers that the menu shows. Each must be cached, since every page reads it. */
@Injectable()
export class MenuCounts {
  private readonly counts = new Registry<MenuName, MenuCount>();

  register(name: MenuName, count: MenuCount): void {
    this.counts.set(name, count);
  }

  async of(account: Account): Promise<CountsByEntry> {
    const entries = [...this.counts].map(async ([name, count]) => [name, await count(account)]);
    return Object.fromEntries(await Promise.all(entries)) as CountsByEntry;
  }
}
