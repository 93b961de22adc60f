import { Body, Controller, Param, Post, UseGuards } from '@nestjs/common';
import type { Request } from 'express';
import type { AuditNote } from '../../audit/audit-trail.js';
import { Audited, CurrentNote } from '../../audit/audited.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { CurrentRequest } from '../../platform/http/request-context.js';
import { FormGuard } from '../../platform/http/body/form-body.js';
import { ApiExcludeController } from '../../platform/http/openapi/openapi.js';
import { done, LeadsToPage } from '../../platform/pages/banners.js';
import type { RedirectWithBanner } from '../../platform/pages/banners.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { CurrentAccount } from '../../platform/access/accounts/account.js';
import type { Account } from '../../platform/access/accounts/account.js';
import { Allow } from '../../platform/access/allow.js';
import { FormPipe } from '../../platform/validation/form.pipe.js';
import type { SentForm } from '../../platform/validation/form.pipe.js';
import { OwnAccountPage } from '../account/own-account-page.js';
import { ConsoleAccounts } from '../accounts/console-accounts.service.js';
import { submitForm } from '../../platform/pages/submit-form.js';
import type { RefusedForm } from '../../platform/pages/submit-form.js';
import { baseIn, ensureAsShown } from '../../platform/pages/form-base.js';
import { SessionsOnGuard } from '../sessions-on.guard.js';
import { ConsoleSessions } from '../sessions/console-sessions.service.js';
import { consoleHost, readResponse } from './key-ceremony.js';
import { ConsoleKeys } from './console-keys.service.js';
import { IsIn, IsString } from 'class-validator';
import { problem } from '../../platform/errors/reasons.js';
import { SIGN_IN_RULES } from '../../platform/access/accounts/accounts.js';
import type { SignInRule } from '../../platform/access/accounts/accounts.js';
import { code } from '../../platform/validation/rule.js';
import { IsKeyName } from '../accounts/accounts.dto.js';

/** Adds a key: the prompt's answer as JSON, and the name that its owner gives it. */
class AddKeyForm {
  @IsKeyName(code('E0045R'))
  name!: string;

  @IsString(code('E0045R', problem('form.noKey')))
  response!: string;
}

/** Sets what it takes to sign in. */
class RuleForm {
  @IsIn(SIGN_IN_RULES, code('E0045R', problem('form.signInRule')))
  rule!: SignInRule;
}

const PAGE = '/console/account';

/** The keys of one's own account, and the rule that says what it takes to sign in. */
@ApiExcludeController()
@UseGuards(SessionsOnGuard)
@Allow('account:own')
@Controller('console/account')
export class KeysController {
  constructor(
    private readonly keys: ConsoleKeys,
    private readonly accounts: ConsoleAccounts,
    private readonly sessions: ConsoleSessions,
    private readonly page: OwnAccountPage,
  ) {}

  @Post('keys')
  @LeadsToPage()
  @UseGuards(FormGuard)
  @Audited('account.key.add')
  async add(
    @Body(new FormPipe(AddKeyForm)) form: SentForm<AddKeyForm>,
    @CurrentRequest() browser: Request,
    @CurrentAccount() account: Account,
    @CurrentNote() note: AuditNote,
  ): Promise<RedirectWithBanner> {
    await this.submit({ browser, account, form, field: 'key' }, async () => {
      const [host, response] = [consoleHost(browser), readResponse(form.dto.response)];
      if (!host || !response) throw new ApiError('E0045R', 'accountKey.noneSent');
      const { name } = form.dto;
      await this.keys.add(await this.accounts.find(account.name), { host, response, name });
    });
    if (account.pending) await this.goOn(browser, account);
    note.detail = { key: form.dto.name };
    return { url: PAGE, banner: done(phrase('console:done.keyAdded')) };
  }

  @Post('keys/:id/_remove')
  @LeadsToPage()
  @UseGuards(FormGuard)
  @Audited('account.key.remove')
  async remove(
    @Param('id') id: string,
    @CurrentRequest() browser: Request,
    @CurrentAccount() account: Account,
    @CurrentNote() note: AuditNote,
  ): Promise<RedirectWithBanner> {
    const form = { fields: {}, faults: {} };
    const key = await this.submit({ browser, account, form, field: 'key' }, async () =>
      this.keys.remove(await this.accounts.find(account.name), id),
    );
    note.detail = { key: key.name };
    return { url: PAGE, banner: done(phrase('console:done.keyRemoved')) };
  }

  /** Changes the rule. All sessions end; one takes the place of that in which it was changed. */
  @Post('rule')
  @LeadsToPage()
  @UseGuards(FormGuard)
  @Audited('account.rule')
  async rule(
    @Body(new FormPipe(RuleForm)) form: SentForm<RuleForm>,
    @CurrentRequest() browser: Request,
    @CurrentAccount() account: Account,
    @CurrentNote() note: AuditNote,
  ): Promise<RedirectWithBanner> {
    const { rule } = form.dto;
    const before = await this.submit({ browser, account, form, field: 'rule' }, async () => {
      const known = await this.accounts.find(account.name);
      ensureAsShown(baseIn(form.fields), { rule: known.signIn }, { rule });
      await this.keys.setRule(known, rule);
      return known.signIn;
    });
    note.detail = { 'rule before': before, 'rule after': rule };
    await this.goOn(browser, account);
    return { url: PAGE, banner: done(phrase(`console:ruleSaved.${rule}`)) };
  }

  /** Begins a session in place of the present one: that ends where it takes something else to sign in now. */
  private async goOn(browser: Request, account: Account): Promise<void> {
    const proof = await this.sessions.proofOf(account);
    const known = await this.accounts.find(account.name);
    browser.user = await this.sessions.begin(browser, known, proof);
  }

  /** Makes a change only soon after a sign-in: it could let others in, and a browser may be left alone. */
  private submit<T>(
    {
      browser,
      account,
      form,
      field,
    }: {
      browser: Request;
      account: Account;
      form: Pick<SentForm, 'fields' | 'faults'>;
      field: string;
    },
    change: () => Promise<T>,
  ): Promise<T> {
    const page = {
      template: 'account',
      view: (sent: RefusedForm) => this.page.view(browser, account, sent),
    };
    return submitForm({ request: browser, form, page, field }, async () => {
      if (await this.sessions.isFresh(account)) return change();
      throw new ApiError('E0045R', 'console.signInAgain');
    });
  }
}
