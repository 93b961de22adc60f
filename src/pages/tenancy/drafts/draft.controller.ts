import { Body, Get, HttpCode, Param, Post, Query, UseGuards } from '@nestjs/common';
import type { Request } from 'express';
import { Audited, CurrentCall, type AuditedCall } from '../../../audit/audited.js';
import { OncePerPage } from '../../../audit/forms/once-per-page.js';
import { InvitationFile } from '../../../invitations/invitation-file.js';
import { invitedPage } from '../../../invitations/invited.view.js';
import { CurrentAccount, type Account } from '../../../platform/access/accounts/account.js';
import { readerOf } from '../../../platform/access/limits/current-reader.js';
import { FormGuard } from '../../../platform/http/body/request-body.js';
import { CurrentRequest, OwnOrigin } from '../../../platform/common/from-request.js';
import { languageFor } from '../../../platform/pages/languages/languages.js';
import { LeadsToPage, type RedirectWithBanner } from '../../../platform/pages/banners.js';
import { Page, PageController } from '../../../platform/pages/page.interceptor.js';
import { submitForm, type RefusedForm } from '../../../platform/pages/submit-form.js';
import { DtoPipe, FormPipe, type SentForm } from '../../../platform/validation/dto.pipe.js';
import { VisibleTenantGuard } from '../../../tenancy/scope/visible-tenants.js';
import { enteredIn, policyOf } from '../policy-form.js';
import { PathRelyingParty } from '../../../tenancy/scope/path-relying-party.js';
import type { RelyingParty } from '../../../tenancy/relying-party.js';
import { PolicyTrial } from '../../../trust/trial/policy-trial.js';
import { TenantPages } from '../tenant-pages.js';
import type { RelyingPartyAddress } from '../../../tenancy/tenancy.dto.js';
import { DraftQuery, InviteGroupQuery, RelyingPartyForm } from '../tenants.dto.js';
import { tenantAddress, type TenantPageVisit } from '../tenants.view.js';
import { DAY_SECONDS } from '../../../platform/common/durations.js';
import { DraftForms, type DraftFields } from './draft-forms.js';
import { PresetPages } from './presets.js';

const WEEK_S = 7 * DAY_SECONDS;

/** The members that a draft adds to the page of its relying party. */
type DraftView = Omit<TenantPageVisit, 'account'>;

/**
 * The unsaved form of a relying party: with a preset, with found models, or with the effects of its policy. Each
 * call stores the form and redirects to the page that shows it.
 */
@UseGuards(VisibleTenantGuard, FormGuard)
@PageController('tenants/:tenant/:domain', 'tenants:change')
export class DraftController {
  constructor(
    private readonly pages: TenantPages,
    private readonly drafts: DraftForms,
    private readonly trial: PolicyTrial,
    private readonly presets: PresetPages,
    private readonly invitations: InvitationFile,
  ) {}

  /** Shows the effects of the policy in the form. */
  @Post('try')
  @LeadsToPage()
  async try(
    @Param() place: RelyingPartyAddress,
    @Body(new FormPipe(RelyingPartyForm)) { dto, fields }: SentForm<RelyingPartyForm>,
    @CurrentAccount() account: Account,
    @CurrentRequest() request: Request,
  ): Promise<RedirectWithBanner> {
    return this.submit({ request, account }, place, { dto, fields }, () =>
      this.keep('try', place, account, fields),
    );
  }

  @Get('try')
  @Page('relying-party')
  showTrial(
    @PathRelyingParty() rp: RelyingParty,
    @Query(DtoPipe) { form }: DraftQuery,
    @CurrentAccount() account: Account,
  ) {
    return this.show(rp, account, form, async (fields) => {
      const { policy } = policyOf(enteredIn(fields));
      const trial = await this.trial.run(rp, policy);
      return { sent: { fields, faults: {} }, trial };
    });
  }

  /**
   * Invites the users whom the policy in the form would leave without a key, or with unverified keys only. Renders the
   * page: a redirect could not carry the links, which are shown only once.
   */
  @Post('invite')
  @HttpCode(200)
  @OncePerPage('invited')
  @Audited('invitation.issue')
  async invite(
    @PathRelyingParty() relyingParty: RelyingParty,
    @Query(DtoPipe) { users: group }: InviteGroupQuery,
    @Body(new FormPipe(RelyingPartyForm)) { dto, fields }: SentForm<RelyingPartyForm>,
    @CurrentCall() call: AuditedCall,
    @OwnOrigin() origin: string,
  ) {
    const { policy } = policyOf(dto.policy);
    const { users } = await this.submit(call, relyingParty, { dto, fields }, () =>
      this.trial.run(relyingParty, policy),
    );
    const toInvite = users[group].map(({ username, displayName }) => ({
      username,
      displayName,
      relyingParty,
    }));
    const { request, account } = call;
    const terms = { ttl: WEEK_S, again: false, issuer: account, origin };
    const visit = { reader: readerOf(request), language: languageFor(request) };
    const back = tenantAddress(relyingParty.tenant, relyingParty.domain);
    return invitedPage(this.invitations.invite(toInvite, terms, call.useRowPerChange()), {
      ...visit,
      back,
    });
  }

  /** Applies a preset to the form. */
  @Post('preset')
  @LeadsToPage()
  preset(
    @Param() place: RelyingPartyAddress,
    @Body(new FormPipe(RelyingPartyForm)) { fields }: SentForm<RelyingPartyForm>,
    @CurrentAccount() account: Account,
  ): Promise<RedirectWithBanner> {
    this.presets.find(fields);
    return this.keep('preset', place, account, fields);
  }

  @Get('preset')
  @Page('relying-party')
  showPreset(
    @Param() place: RelyingPartyAddress,
    @Query(DtoPipe) { form }: DraftQuery,
    @CurrentAccount() account: Account,
  ) {
    return this.show(place, account, form, (sent) => {
      const { fields, preset } = this.presets.apply(sent);
      return { sent: { fields, faults: {} }, preset };
    });
  }

  /** Searches models by name. */
  @Post('models')
  @LeadsToPage()
  models(
    @Param() place: RelyingPartyAddress,
    @Body(new FormPipe(RelyingPartyForm)) { fields }: SentForm<RelyingPartyForm>,
    @CurrentAccount() account: Account,
  ): Promise<RedirectWithBanner> {
    return this.keep('models', place, account, fields);
  }

  @Get('models')
  @Page('relying-party')
  showModels(
    @Param() place: RelyingPartyAddress,
    @Query(DtoPipe) { form }: DraftQuery,
    @CurrentAccount() account: Account,
  ) {
    return this.show(place, account, form, (fields) => ({
      sent: { fields, faults: {} },
      isModelSearch: true,
    }));
  }

  /** Handles a form, and refuses it if its policy has faults. */
  private submit<T>(
    { request, account }: Pick<AuditedCall, 'request' | 'account'>,
    { tenant, domain }: RelyingPartyAddress,
    { dto, fields }: Omit<SentForm<RelyingPartyForm>, 'faults'>,
    act: () => Promise<T>,
  ): Promise<T> {
    const view = (sent: RefusedForm) => this.pages.relyingParty(tenant, domain, { account, sent });
    const form = { fields, faults: policyOf(dto.policy).faults };
    return submitForm({ request, form, page: { template: 'relying-party', view } }, act);
  }

  private async keep(
    page: 'try' | 'preset' | 'models',
    { tenant, domain }: RelyingPartyAddress,
    account: Account,
    fields: DraftFields,
  ): Promise<RedirectWithBanner> {
    const id = await this.drafts.keep(account, fields);
    return { url: `${tenantAddress(tenant, domain)}/${page}?form=${id}` };
  }

  /** Shows the page with the draft, or with the stored values once the draft has expired. */
  private async show(
    { tenant, domain }: RelyingPartyAddress,
    account: Account,
    id: string | undefined,
    viewOf: (fields: DraftFields) => DraftView | Promise<DraftView>,
  ) {
    const fields = id === undefined ? undefined : await this.drafts.find(account, id);
    const view = fields && (await viewOf(fields));
    return this.pages.relyingParty(tenant, domain, { account, ...view });
  }
}
