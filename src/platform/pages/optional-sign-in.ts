import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { Account } from '../access/accounts/account.js';
import { BrowserSessions } from '../access/caller.guard.js';
import { FormTokens } from '../access/form-token.js';

/** Finds out who looks at a page that is open to everybody: people with a session see the menu there too. */
@Injectable()
export class OptionalSignIn {
  constructor(
    private readonly sessions: BrowserSessions,
    private readonly tokens: FormTokens,
  ) {}

  /** Where a guard has let somebody in, that account stays. A database that fails hides no page. */
  async recognise(request: Request): Promise<void> {
    const { user, headers } = request;
    if (user !== undefined || headers.authorization !== undefined || !this.sessions.areOn) return;
    const account: Account | undefined = await this.sessions.find(request).catch(() => undefined);
    if (!account) return;
    request.user = account;
    request.formToken = this.tokens.issue(account);
  }
}
