import {
  Controller,
  Get,
  HttpCode,
  Param,
  Post,
  Render,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import type { Request } from 'express';
import type { AuditNote } from '../../audit/audit-trail.js';
import { Audited, CurrentNote } from '../../audit/audited.js';
import { FormGuard } from '../../http/form-body.js';
import { ApiExcludeController } from '../../http/openapi.js';
import { done } from '../../presentation/banner.js';
import type { Led } from '../../presentation/banner.js';
import { LeadsToPage } from '../../presentation/leads-to.js';
import { PageInterceptor } from '../../presentation/page.interceptor.js';
import { CurrentAccount } from '../../security/account.js';
import type { Account } from '../../security/account.js';
import { Allow } from '../../security/allow.js';
import { CurrentBrowser } from '../current-request.js';
import { SessionsOnGuard } from '../sessions-on.guard.js';
import { ConsoleSessions } from '../sessions/console-sessions.service.js';
import { SIGN_IN_TEMPLATE, signInPage } from '../sign-in/sign-in.page.js';
import { accountPage } from './account.page.js';
import type { AccountView } from './account.page.js';

/** Somebody's own account: where it is signed in, and how to end that. */
@ApiExcludeController()
@UseGuards(SessionsOnGuard)
@Allow('account:own')
@Controller('console/account')
export class AccountController {
  constructor(private readonly sessions: ConsoleSessions) {}

  @Get()
  @UseInterceptors(PageInterceptor)
  @Render('account')
  async show(@CurrentAccount() account: Account): Promise<AccountView> {
    return accountPage(account, await this.sessions.of(account.name));
  }

  @Post('sessions/:id/_end')
  @LeadsToPage()
  @UseGuards(FormGuard)
  @Audited('console.sign-out')
  async end(
    @Param('id') id: string,
    @CurrentAccount() account: Account,
    @CurrentNote() note: AuditNote,
  ): Promise<Led> {
    const { way } = await this.sessions.endOne(account.name, id);
    note.detail = { way };
    return { url: '/console/account', banner: done('That browser is signed out.') };
  }

  /** With that of this browser: whoever was in there with it is out. */
  @Post('sessions/_end')
  @HttpCode(200)
  @Render(SIGN_IN_TEMPLATE)
  @UseGuards(FormGuard)
  @Audited('console.sign-out-everywhere')
  async endAll(
    @CurrentAccount() account: Account,
    @CurrentBrowser() browser: Request,
    @CurrentNote() note: AuditNote,
  ) {
    note.detail = { sessions: await this.sessions.endAll(account.name) };
    await this.sessions.end(browser);
    return signInPage(browser, '/', { signedOut: true });
  }
}
