import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import type { Account } from '../security/account.js';
import { BrowserSessions } from '../security/browser-sessions.js';
import { FormTokens } from '../security/form-token.js';

/** Finds out who looks at a page that asks nobody: whoever has a session sees the menu there too. */
@Injectable()
export class Recognition {
  constructor(
    private readonly sessions: BrowserSessions,
    private readonly tokens: FormTokens,
  ) {}

  /** Of a page that a guard has let somebody in to, that one stays; a database that is away hides nothing. */
  async recognise(request: Request): Promise<void> {
    const { user, headers } = request;
    if (user !== undefined || headers.authorization !== undefined || !this.sessions.areOn) return;
    const account: Account | undefined = await this.sessions.find(request).catch(() => undefined);
    if (!account) return;
    request.user = account;
    request.formToken = this.tokens.issue(account);
  }
}
