import { Body, Controller, Get, HttpCode, Post, UseGuards } from '@nestjs/common';
import type { Request } from 'express';
import { Audited, CurrentCall, type AuditedCall } from '../audit/audited.js';
import { CrossSiteGuard } from '../platform/access/cross-site.guard.js';
import { PasswordChecks } from '../platform/access/basic/password-checks.js';
import { ApiError } from '../platform/errors/api-error.js';
import { CurrentRequest } from '../platform/common/from-request.js';
import { FormGuard } from '../platform/http/body/request-body.js';
import { successBanner, LeadsToPage, type RedirectWithBanner } from '../platform/pages/banners.js';
import { phrase } from '../platform/pages/languages/phrase.js';
import { Page } from '../platform/pages/page.interceptor.js';
import { FormPipe, type SentForm } from '../platform/validation/dto.pipe.js';
import { submitForm, type RefusedForm } from '../platform/pages/submit-form.js';
import { newPasswordIn } from './own-account/new-password.js';
import { ConsoleKeys } from './keys/console-keys.js';
import { consoleHost, newKeyIn } from './keys/key-ceremony.js';
import { SessionsOnGuard } from './sessions/browser-sessions.js';
import { ConsoleSessions } from './sessions/console-sessions.js';
import { AccountSetup } from './account-setup.js';
import { SetupForm } from './accounts.dto.js';

const TEMPLATE = 'setup';

const PAGE = {
  title: phrase('console:setup.title'),
  texts: 'console',
  styles: ['/static/css/console.css'],
  scripts: ['/static/js/console.js'],
};

/**
 * The page on which the owner of a new account chooses a password or a key. The link has its token in the
 * fragment, which browsers do not send to servers: the page's script sends it in a form, so that no log and
 * no `Referer` contains it.
 */
@UseGuards(SessionsOnGuard, CrossSiteGuard, FormGuard)
@Controller('console/setup')
export class SetupController {
  constructor(
    private readonly setup: AccountSetup,
    private readonly keys: ConsoleKeys,
    private readonly sessions: ConsoleSessions,
    private readonly checks: PasswordChecks,
  ) {}

  @Get()
  @Page(TEMPLATE)
  show() {
    return { ...PAGE, token: '', faults: {} };
  }

  /** Shows the account of a link without using the link up: programs open links that are sent in messages. */
  @Post()
  @HttpCode(200)
  @Page(TEMPLATE)
  open(
    @Body(new FormPipe(SetupForm)) form: SentForm<SetupForm>,
    @CurrentRequest() request: Request,
  ) {
    return this.submit(request, form, async () => {
      await this.setup.accountOf(form.dto.token ?? '');
      return this.view(request, form);
    });
  }

  @Post('finish')
  @LeadsToPage()
  @Audited('account.setup')
  async finish(
    @Body(new FormPipe(SetupForm)) form: SentForm<SetupForm>,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    const { request } = call;
    const { token = '', response } = form.dto;
    const row = call.useRowPerChange();
    const way = response === undefined ? 'password' : 'key';
    const known = await this.submit(request, form, () =>
      way === 'key'
        ? this.setup.finish(token, { key: newKeyIn(request, form.dto) }, row)
        : this.checks.run(request.ip, () =>
            this.setup.finish(token, { password: newPasswordIn(form.fields) }, row),
          ),
    );
    request.user = await this.sessions.begin(request, known, { way });
    // If a key is demanded, the page asks for it.
    const said = known.account.pending === 'key' ? 'demandsKey' : way;
    return { url: '/console/account', banner: successBanner(phrase(`console:setup.done.${said}`)) };
  }

  private submit<T>(request: Request, form: RefusedForm, change: () => Promise<T>): Promise<T> {
    const view = (sent: RefusedForm) => this.view(request, sent);
    const page = { template: TEMPLATE, view };
    return submitForm({ request, form, page, field: 'token' }, change);
  }

  private async view(request: Request, { fields, faults }: RefusedForm) {
    const token = String(fields['token'] ?? '').trim();
    const known = await this.setup.accountOf(token).catch((error: unknown) => {
      if (error instanceof ApiError) return undefined;
      throw error;
    });
    const host = consoleHost(request);
    const options = known && host && (await this.keys.creationOptions(known, host));
    return {
      ...PAGE,
      token,
      faults,
      /** `undefined` for a link that is no longer valid. */
      name: known?.account.name,
      /** Whether an administrator requires a second factor. */
      needsKey: known?.needsKey,
      /** Creation options for a key, as JSON, if the host can have keys. */
      options: options && JSON.stringify(options),
    };
  }
}
