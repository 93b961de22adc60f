import { Body, Controller, Get, HttpCode, Param, Post, Render, UseGuards } from '@nestjs/common';
import type { Request } from 'express';
import type { AuditNote } from '../../audit/audit-trail.js';
import { Audited, CurrentNote } from '../../audit/audited.js';
import { CurrentRequest } from '../../platform/http/request-context.js';
import { FormGuard } from '../../platform/http/body/form-body.js';
import { ApiExcludeController } from '../../platform/http/openapi/openapi.js';
import { done, LeadsToPage } from '../../platform/pages/banners.js';
import type { RedirectWithBanner } from '../../platform/pages/banners.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { Page } from '../../platform/pages/page.interceptor.js';
import { CurrentAccount } from '../../platform/access/accounts/account.js';
import type { Account } from '../../platform/access/accounts/account.js';
import { Allow } from '../../platform/access/allow.js';
import { FormPipe } from '../../platform/validation/form.pipe.js';
import type { SentForm } from '../../platform/validation/form.pipe.js';
import { ChangePasswordForm } from '../accounts/accounts.dto.js';
import { submitForm } from '../../platform/pages/submit-form.js';
import type { RefusedForm } from '../../platform/pages/submit-form.js';
import { SessionsOnGuard } from '../sessions-on.guard.js';
import { ConsoleSessions } from '../sessions/console-sessions.service.js';
import { SIGN_IN_TEMPLATE } from '../sign-in/sign-in.page.js';
import { SignIn } from '../sign-in/sign-in.service.js';
import { OwnAccountPage } from './own-account-page.js';
import { OwnPassword } from './own-password.js';
import type { AccountView } from './account.page.js';

/** The page of one's own account: its password, and the sessions in which it is signed in. */
@ApiExcludeController()
@UseGuards(SessionsOnGuard)
@Allow('account:own')
@Controller('console/account')
export class AccountController {
  constructor(
    private readonly sessions: ConsoleSessions,
    private readonly page: OwnAccountPage,
    private readonly checks: OwnPassword,
    private readonly signIn: SignIn,
  ) {}

  @Get()
  @Page('account')
  show(
    @CurrentAccount() account: Account,
    @CurrentRequest() browser: Request,
  ): Promise<AccountView> {
    return this.page.view(browser, account);
  }

  @Post('password')
  @LeadsToPage()
  @UseGuards(FormGuard)
  @Audited('account.password')
  async changePassword(
    @Body(new FormPipe(ChangePasswordForm)) form: SentForm<ChangePasswordForm>,
    @CurrentRequest() browser: Request,
    @CurrentAccount() account: Account,
  ): Promise<RedirectWithBanner> {
    const page = {
      template: 'account',
      view: (sent: RefusedForm) => this.page.view(browser, account, sent),
    };
    const proof = await this.sessions.proofOf(account);
    const known = await submitForm({ request: browser, form, page, field: 'current' }, () =>
      this.checks.change(browser, account.name, form.fields),
    );
    // All sessions have ended; one takes the place of that in which the password was changed.
    if (account.session !== undefined) {
      browser.user = await this.sessions.begin(browser, known, proof);
    }
    return {
      url: '/console/account',
      banner: done(phrase('console:done.passwordChanged')),
    };
  }

  @Post('sessions/:id/_end')
  @LeadsToPage()
  @UseGuards(FormGuard)
  @Audited('console.sign-out')
  async end(
    @Param('id') id: string,
    @CurrentAccount() account: Account,
    @CurrentNote() note: AuditNote,
  ): Promise<RedirectWithBanner> {
    const { way } = await this.sessions.endOne(account.name, id);
    note.detail = { way };
    return { url: '/console/account', banner: done(phrase('console:done.sessionEnded')) };
  }

  /** Ends all sessions, that of this browser too: somebody else may have used that. */
  @Post('sessions/_end')
  @HttpCode(200)
  @Render(SIGN_IN_TEMPLATE)
  @UseGuards(FormGuard)
  @Audited('console.sign-out-everywhere')
  async endAll(
    @CurrentAccount() account: Account,
    @CurrentRequest() browser: Request,
    @CurrentNote() note: AuditNote,
  ) {
    note.detail = { sessions: await this.sessions.endAll(account.name) };
    await this.sessions.end(browser);
    return this.signIn.page(browser, '/', { signedOut: true });
  }
}
