import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { Account } from '../../platform/access/accounts/account.js';
import type { RefusedForm } from '../../platform/pages/submit-form.js';
import { ConsoleAccounts } from '../accounts/console-accounts.service.js';
import { consoleHost } from '../keys/key-ceremony.js';
import { ConsoleKeys } from '../keys/console-keys.service.js';
import { ConsoleSessions } from '../sessions/console-sessions.service.js';
import { accountPage } from './account.page.js';
import type { AccountView } from './account.page.js';

/** Gathers what the page of somebody's own account shows. */
@Injectable()
export class OwnAccountPage {
  constructor(
    private readonly accounts: ConsoleAccounts,
    private readonly sessions: ConsoleSessions,
    private readonly keys: ConsoleKeys,
  ) {}

  /** @param sent the form for which the page is shown again */
  async view(browser: Request, account: Account, sent?: RefusedForm): Promise<AccountView> {
    const known = await this.accounts.find(account.name);
    const host = consoleHost(browser);
    const fresh = await this.sessions.isFresh(account);
    const options = host && fresh ? await this.keys.creationOptions(known, host) : undefined;
    return accountPage(account, {
      configured: known.configured,
      needsKey: known.needsKey,
      signIn: known.signIn,
      sent,
      keys: await this.keys.of(account.name),
      sessions: await this.sessions.of(account.name),
      ways: { possible: host !== undefined, fresh, options: options && JSON.stringify(options) },
    });
  }
}
