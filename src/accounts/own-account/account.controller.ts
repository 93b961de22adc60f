import { Body, Get, Param, Post, UseGuards } from '@nestjs/common';
import { IsIn, IsString } from 'class-validator';
import type { Request } from 'express';
import { Audited, CurrentCall, type AuditedCall } from '../../audit/audited.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { problem } from '../../platform/errors/reasons.js';
import { CurrentRequest } from '../../platform/common/from-request.js';
import { FormGuard } from '../../platform/http/body/request-body.js';
import {
  successBanner,
  LeadsToPage,
  type RedirectWithBanner,
} from '../../platform/pages/banners.js';
import { baseIn, ensureAsShown } from '../../platform/pages/form-base.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { Page, PageController } from '../../platform/pages/page.interceptor.js';
import { CurrentAccount, type Account } from '../../platform/access/accounts/account.js';
import { SIGN_IN_RULES, type SignInRule } from '../../platform/access/accounts/accounts.js';
import { FailedSignIns } from '../../platform/access/basic/failed-sign-ins.js';
import { PasswordChecks } from '../../platform/access/basic/password-checks.js';
import { FormPipe, type SentForm } from '../../platform/validation/dto.pipe.js';
import { code } from '../../platform/validation/field-validator.js';
import { ChangePasswordForm, IsKeyName } from '../accounts.dto.js';
import { ConsoleAccounts } from '../console-accounts.js';
import { VisibleAccounts } from '../visible-accounts.js';
import { ConsoleKeys } from '../keys/console-keys.js';
import { isUvInitialized } from '../keys/console-key.entity.js';
import { consoleHost, newKeyIn } from '../keys/key-ceremony.js';
import { submitForm, type RefusedForm } from '../../platform/pages/submit-form.js';
import { SessionsOnGuard } from '../sessions/browser-sessions.js';
import { ConsoleSessions } from '../sessions/console-sessions.js';
import { ConsoleSignIn } from '../sign-in/console-sign-in.js';
import { ownAccountPage } from './own-account.view.js';
import { newPasswordIn } from './new-password.js';

/** Adds a key: the prompt's answer as JSON, and the key's name. */
class AddKeyForm {
  @IsKeyName()
  name!: string;

  @IsString(code('E0045R', problem('form.noKey')))
  response!: string;
}

class RuleForm {
  @IsIn(SIGN_IN_RULES, code('E0045R', problem('form.signInRule')))
  rule!: SignInRule;
}

const PAGE = '/console/account';

interface SentChange {
  readonly form: RefusedForm;
  /** The field beside which a refusal is shown, unless the refusal names one. */
  readonly field: string;
}

/** The page of one's own account: its password, its keys, its sign-in rule and its sessions. */
@UseGuards(SessionsOnGuard, FormGuard)
@PageController('console/account', 'account:own')
export class AccountController {
  constructor(
    private readonly accounts: ConsoleAccounts,
    private readonly visible: VisibleAccounts,
    private readonly sessions: ConsoleSessions,
    private readonly keys: ConsoleKeys,
    private readonly signIn: ConsoleSignIn,
    private readonly failures: FailedSignIns,
    private readonly checks: PasswordChecks,
  ) {}

  @Get()
  @Page('account')
  show(@CurrentAccount() account: Account, @CurrentRequest() request: Request) {
    return this.page(request, account);
  }

  @Post('password')
  @LeadsToPage()
  @Audited('account.password')
  async changePassword(
    @Body(new FormPipe(ChangePasswordForm)) form: SentForm<ChangePasswordForm>,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    await this.submit(call, { form, field: 'current' }, () =>
      this.replacePassword(call, form.fields),
    );
    await this.replaceSession(call);
    return { url: PAGE, banner: successBanner(phrase('console:done.passwordChanged')) };
  }

  @Post('keys')
  @LeadsToPage()
  @Audited('account.key.add')
  async addKey(
    @Body(new FormPipe(AddKeyForm)) form: SentForm<AddKeyForm>,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    const { request, account } = call;
    const added = await this.submitFresh(call, { form, field: 'key' }, async () => {
      const key = newKeyIn(request, form.dto);
      const known = await this.visible.find(account.name);
      return this.keys.add(call, known, key);
    });
    if (account.pending) await this.replaceSession(call);
    const { signIn } = await this.visible.find(account.name);
    const isEnough = isUvInitialized(added) && signIn !== 'password+key';
    const says = isEnough ? 'keyAdded' : 'keyAddedBeside';
    return { url: PAGE, banner: successBanner(phrase(`console:done.${says}`)) };
  }

  @Post('keys/:id/_remove')
  @LeadsToPage()
  @Audited('account.key.remove')
  async removeKey(
    @Param('id') id: string,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    const form = { fields: {}, faults: {} };
    await this.submitFresh(call, { form, field: 'key' }, () => this.keys.remove(call, id));
    return { url: PAGE, banner: successBanner(phrase('console:done.keyRemoved')) };
  }

  /** Changes the rule. All sessions end; a new one replaces the current one. */
  @Post('rule')
  @LeadsToPage()
  @Audited('account.rule')
  async changeRule(
    @Body(new FormPipe(RuleForm)) form: SentForm<RuleForm>,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    const { rule } = form.dto;
    await this.submitFresh(call, { form, field: 'rule' }, async () => {
      const known = await this.visible.find(call.account.name);
      ensureAsShown(baseIn(form.fields), { rule: known.signIn }, { rule });
      await this.keys.setRule(call, known, rule);
    });
    await this.replaceSession(call);
    return { url: PAGE, banner: successBanner(phrase(`console:ruleSaved.${rule}`)) };
  }

  @Post('sessions/:id/_end')
  @LeadsToPage()
  @Audited('console.sign-out')
  async endSession(
    @Param('id') id: string,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    await this.sessions.endOne(call.account.name, id, call);
    return { url: PAGE, banner: successBanner(phrase('console:done.sessionEnded')) };
  }

  /**
   * Requires the current password, since a browser may have been left unattended; guesses are limited as at sign-in.
   *
   * @throws ApiError E0045R if the form has errors; E0040R after too many wrong passwords
   */
  private async replacePassword(call: AuditedCall, fields: SentForm['fields']): Promise<void> {
    const { ip } = call.request;
    const current = String(fields['current']);
    const password = newPasswordIn(fields);
    const { name } = call.account;
    await this.failures.attempt({ ip, name }, async (countFailure) => {
      try {
        await this.checks.run(ip, () => this.accounts.changePassword(call, current, password));
      } catch (error) {
        const isWrong =
          error instanceof ApiError && error.problem.reason === 'account.wrongPassword';
        if (isWrong) countFailure();
        throw error;
      }
    });
  }

  /** Begins a session in place of the current one, which ends because the sign-in requirements have changed. */
  private async replaceSession({ request, account }: AuditedCall): Promise<void> {
    const known = await this.visible.find(account.name);
    request.user = (await this.sessions.replace(request, known, account)) ?? account;
  }

  /** Makes a change only soon after a sign-in: it could let others in, and a browser may be left unattended. */
  private submitFresh<T>(
    call: AuditedCall,
    sent: SentChange,
    change: () => Promise<T>,
  ): Promise<T> {
    return this.submit(call, sent, async () => {
      const { account, request } = call;
      if (!(await this.sessions.isFresh(account))) throw await this.signIn.again(request);
      return change();
    });
  }

  private submit<T>(
    { request, account }: AuditedCall,
    sent: SentChange,
    change: () => Promise<T>,
  ): Promise<T> {
    const view = (refused: RefusedForm) => this.page(request, account, refused);
    return submitForm({ request, page: { template: 'account', view }, ...sent }, change);
  }

  private async page(browser: Request, account: Account, sent?: RefusedForm) {
    const { name } = account;
    const known = await this.visible.find(name);
    const host = consoleHost(browser);
    const fresh = await this.sessions.isFresh(account);
    const options = host && fresh ? await this.keys.creationOptions(known, host) : undefined;
    const sessions = await this.sessions.of(name);
    const keys = await this.keys.of(name);
    const tenants = await this.visible.tenantsOf(account);
    return ownAccountPage({ account, known, sessions, keys, host, fresh, options, tenants }, sent);
  }
}
