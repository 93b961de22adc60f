import { Body, Get, HttpCode, Param, Post, Query, UseGuards } from '@nestjs/common';
import { AccountActivity } from '../audit/account-activity.js';
import { Audited, CurrentCall, type AuditedCall } from '../audit/audited.js';
import { OncePerPage } from '../audit/forms/once-per-page.js';
import { problem } from '../platform/errors/reasons.js';
import { FormGuard } from '../platform/http/body/request-body.js';
import { successBanner, LeadsToPage, type RedirectWithBanner } from '../platform/pages/banners.js';
import { phrase } from '../platform/pages/languages/phrase.js';
import { Page, PageController } from '../platform/pages/page.interceptor.js';
import { CurrentAccount, type Account } from '../platform/access/accounts/account.js';
import { AllowHere } from '../platform/access/allow.js';
import { DtoPipe, FormPipe, type SentForm } from '../platform/validation/dto.pipe.js';
import { normalizeName } from '../platform/validation/values/names.js';
import {
  submitForm,
  type FormSubmission,
  type PageVisit,
  type RefusedForm,
} from '../platform/pages/submit-form.js';
import { baseIn, type TypedMembers } from '../platform/pages/form-base.js';
import { tagOf } from '../platform/http/versions.js';
import { ConsoleSessions } from './sessions/console-sessions.js';
import { ConsoleSignIn } from './sign-in/console-sign-in.js';
import {
  AccountsQuery,
  BreakGlassForm,
  ChangeAccountForm,
  CreateAccountForm,
  RemoveAccountForm,
  ResetAccountForm,
} from './accounts.dto.js';
import type { AccountPermissions } from './account-permissions.js';
import type { FirstSignInWay } from './account-setup.js';
import {
  ACCOUNTS,
  accountsPage,
  accountAddress,
  accessToHandOver,
  oneAccountPage,
  type AccessHandover,
} from './accounts.view.js';
import type { PermissionsVisit } from './permissions-form.js';
import { ConsoleAccounts } from './console-accounts.js';
import { VisibleAccounts } from './visible-accounts.js';

/**
 * The accounts of the administration. Administrators limited to some tenants manage the accounts that are
 * limited to these: an account can neither see nor grant permissions beyond its own.
 */
@UseGuards(FormGuard)
@PageController('console/accounts', 'accounts:change')
export class AccountsController {
  constructor(
    private readonly accounts: ConsoleAccounts,
    private readonly visible: VisibleAccounts,
    private readonly sessions: ConsoleSessions,
    private readonly activity: AccountActivity,
    private readonly signIn: ConsoleSignIn,
  ) {}

  @Get()
  @AllowHere('accounts:read')
  @Page('accounts')
  list(@Query(DtoPipe) query: AccountsQuery, @CurrentAccount() account: Account) {
    return this.listView({ account, ...query });
  }

  /** Renders the page: a redirect could not carry the link or the password. */
  @Post()
  @OncePerPage('accounts')
  @Audited(({ body }) => ({ action: 'account.create', target: body?.name }))
  async create(
    @Body(new FormPipe(CreateAccountForm)) form: SentForm<CreateAccountForm>,
    @CurrentCall() call: AuditedCall,
  ) {
    const { request, account } = call;
    const view = (sent: RefusedForm) => this.listView({ account, sent });
    const page = { template: 'accounts', view };
    const { name } = form.dto;
    const start = this.startOf(form.dto);
    const access = await this.submit(call, { form, page, field: 'name' }, () =>
      this.accounts.create(call, name, form.dto, start),
    );
    return this.listView({ account }, accessToHandOver(request, name, access));
  }

  @Get(':name')
  @AllowHere('accounts:read')
  @Page('one-account')
  show(@Param('name') name: string, @CurrentAccount() account: Account) {
    return this.view(name, { account });
  }

  @Post(':name/_change')
  @LeadsToPage()
  @Audited('account.change', { target: 'name' })
  async change(
    @Param('name') name: string,
    @Body(new FormPipe(ChangeAccountForm)) form: SentForm<ChangeAccountForm>,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    const typed = { base: baseIn(form.fields), members: form.dto };
    const page = this.pageOf(name, call.account, typed);
    await this.submit(call, { form, page, field: 'role' }, () =>
      this.accounts.change(call, name, form.dto, typed.base),
    );
    return {
      url: accountAddress(name),
      banner: successBanner(phrase('console:done.accountSaved')),
    };
  }

  /** Shows the new link or password, only once. */
  @Post(':name/_reset')
  @HttpCode(200)
  @OncePerPage('one-account')
  @Audited('account.reset', { target: 'name' })
  async reset(
    @Param('name') name: string,
    @Body(new FormPipe(ResetAccountForm)) form: SentForm<ResetAccountForm>,
    @CurrentCall() call: AuditedCall,
  ) {
    const { request, account } = call;
    const page = this.pageOf(name, account);
    const start = this.startOf(form.dto);
    const access = await this.submit(call, { form, page, field: 'reset' }, () =>
      this.accounts.reset(call, name, start),
    );
    return this.view(name, { account }, accessToHandOver(request, name, access));
  }

  @Post(':name/_remove')
  @LeadsToPage()
  @Audited('account.remove', { target: 'name' })
  async remove(
    @Param('name') name: string,
    @Body(new FormPipe(RemoveAccountForm)) sent: SentForm<RemoveAccountForm>,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    const page = this.pageOf(name, call.account);
    const { confirm, version } = sent.dto;
    const expected = version === undefined ? undefined : [version];
    const unconfirmed = { confirm: problem('account.typeToRemove', { name }) };
    const faults = { ...sent.faults, ...(confirm !== name && unconfirmed) };
    const form = { ...sent, faults };
    await this.submit(call, { form, page, field: 'confirm' }, () =>
      this.accounts.remove(call, name, expected),
    );
    return { url: ACCOUNTS, banner: successBanner(phrase('console:done.accountRemoved')) };
  }

  @Post(':name/_break-glass')
  @LeadsToPage()
  @Audited('account.break-glass', { target: 'name' })
  async setBreakGlass(
    @Param('name') name: string,
    @Body(new FormPipe(BreakGlassForm)) form: SentForm<BreakGlassForm>,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    const page = this.pageOf(name, call.account);
    await this.submit(call, { form, page, field: 'breakGlass' }, () =>
      this.accounts.setBreakGlass(call, name, form.dto.breakGlass === 'on'),
    );
    return { url: accountAddress(name), banner: successBanner(phrase('console:done.breakGlass')) };
  }

  @Post(':name/sessions/:id/_end')
  @LeadsToPage()
  @Audited('console.sign-out', { target: 'name' })
  async end(
    @Param() { name, id }: { name: string; id: string },
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    await this.visible.find(name, call.account);
    await this.sessions.endOne(normalizeName(name), id, call);
    return {
      url: accountAddress(name),
      banner: successBanner(phrase('console:done.sessionEnded')),
    };
  }

  private async listView({ from, ...visit }: PageVisit & AccountsQuery, created?: AccessHandover) {
    const [part, tenants] = await Promise.all([
      this.visible.list(visit.account, from),
      this.visible.tenantsOf(visit.account),
    ]);
    const names = part.accounts.map(({ account }) => account.name);
    const [audited, begun] = await Promise.all([
      this.activity.lastSignIns(names),
      this.sessions.newestOf(names),
    ]);
    // A session outlives the rows of the trail that are searched.
    const lastSignIns = new Map([...audited, ...begun]);
    const links = this.sessions.areOn;
    return accountsPage({ ...part, lastSignIns }, { ...visit, tenants, links }, created);
  }

  private async view(
    name: string,
    visit: PageVisit & Pick<PermissionsVisit, 'stale'>,
    reset?: AccessHandover,
  ) {
    const known = await this.visible.find(name, visit.account);
    const [sessions, tenants] = await Promise.all([
      this.sessions.of(known.account.name),
      this.visible.tenantsOf(visit.account),
    ]);
    const tag = tagOf(await this.visible.versionOf(name));
    const links = this.sessions.areOn;
    const { hasProvider } = this.signIn;
    return oneAccountPage(known, sessions, { ...visit, tenants, links, hasProvider }, tag, reset);
  }

  /** Browsers without a session cannot follow a setup link. */
  private startOf({ start }: { readonly start: FirstSignInWay }): FirstSignInWay {
    return this.sessions.areOn ? start : 'password';
  }

  /**
   * Changes an account only soon after a sign-in: a browser may have been left unattended. A caller without a
   * session has sent the password with the request.
   */
  private submit<T>(
    { request, account }: AuditedCall,
    sent: Omit<FormSubmission, 'request'>,
    change: () => Promise<T>,
  ): Promise<T> {
    return submitForm({ request, ...sent }, async () => {
      if (account.session === undefined || (await this.sessions.isFresh(account))) return change();
      throw await this.signIn.again(request);
    });
  }

  private pageOf(name: string, account: Account, typed?: TypedMembers<AccountPermissions>) {
    return {
      template: 'one-account',
      view: async (sent: RefusedForm) => {
        const rows = { action: 'account.change', target: name } as const;
        const last = typed && sent.isStale && (await this.activity.lastChanges(account, rows));
        return this.view(name, { account, sent, ...(last && { stale: { typed, last } }) });
      },
    };
  }
}
