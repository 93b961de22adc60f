import {
  Body,
  Controller,
  Get,
  HttpCode,
  Param,
  Post,
  Query,
  type StreamableFile,
  UseGuards,
} from '@nestjs/common';
import { csvFile } from '../../platform/http/text-file.js';
import { readerOf } from '../../platform/access/limits/reader.js';
import { problem } from '../../platform/errors/reasons.js';
import { ApiExcludeController } from '../../platform/http/openapi/openapi.js';
import { Audited, CurrentNote, CurrentUserRows } from '../../audit/audited.js';
import type { AuditNote, UserRows } from '../../audit/audit-trail.js';
import { InvitationFile } from '../../invitations/invitation-file.js';
import { OwnOrigin } from '../../platform/http/request-context.js';
import { ShownVersion, type ExpectedTags } from '../../platform/http/versions.js';
import { FormGuard } from '../../platform/http/body/form-body.js';
import { done, LeadsToPage, type RedirectWithBanner } from '../../platform/pages/banners.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { Page } from '../../platform/pages/page.interceptor.js';
import { CurrentAccount, type Account } from '../../platform/access/accounts/account.js';
import { Allow, AllowHere } from '../../platform/access/allow.js';
import { changedBy, differencesOf } from '../changes/relying-party-change.js';
import { baseIn, ensureAsShown } from '../../platform/pages/form-base.js';
import { TenancyService } from '../tenancy.service.js';
import { VisibleTenantGuard } from '../scope/visible-tenants.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { FormPipe, type Faults, type SentForm } from '../../platform/validation/form.pipe.js';
import { formMembers, typedChanges } from './changes.view.js';
import { textIn } from './form.js';
import { enteredIn, policyOf } from './policy-form.js';
import { findField } from './model-picker.js';
import { PICKED } from './policy-fields.js';
import { PresetPages } from './presets.js';
import {
  CurrentSender,
  TenantPages,
  alsoWrong,
  confirmedBy,
  type FormPage,
  type Sender,
} from './tenant-pages.js';
import { RelyingPartyForm, RemoveForm, TriedQuery } from './tenants.dto.js';
import { addressOf } from './tenants.view.js';
import { TrialPages } from './trial/trial.view.js';
import { wellKnownOf } from './well-known-form.js';

const WEEK_S = 7 * 86_400;
const TICK = problem('form.tickModels');
const REMOVED = phrase('tenants:done.partyRemoved');

interface RelyingPartyAddress {
  readonly tenant: string;
  readonly domain: string;
}

/** Enter in the search field of a model searches, and does not save. */
const notPicked = (fields: Readonly<Record<string, unknown>>): Faults =>
  Object.fromEntries(
    PICKED.filter((name) => textIn(fields, findField(name)) !== '').map((name) => [name, TICK]),
  );

/** One relying party for people: its name, its origins, its policy. */
@ApiExcludeController()
@UseGuards(VisibleTenantGuard, FormGuard)
@Allow('tenants:change')
@Controller('tenants/:tenant/:domain')
export class RelyingPartyController {
  constructor(
    private readonly pages: TenantPages,
    private readonly tenancy: TenancyService,
    private readonly trials: TrialPages,
    private readonly presets: PresetPages,
    private readonly invitations: InvitationFile,
  ) {}

  @Get()
  @AllowHere('tenants:read')
  @Page('relying-party')
  show(@Param() { tenant, domain }: RelyingPartyAddress, @CurrentAccount() account: Account) {
    return this.pages.relyingParty(tenant, domain, { account });
  }

  /** Name, origins, what is published and the whole policy at once, as in the form. */
  @Post()
  @LeadsToPage()
  @Audited('relying-party.change')
  async change(
    @Param() place: RelyingPartyAddress,
    @Body(new FormPipe(RelyingPartyForm)) sent: SentForm<RelyingPartyForm>,
    @CurrentSender() sender: Sender,
    @CurrentNote() note: AuditNote,
  ): Promise<RedirectWithBanner> {
    const { tenant, domain } = place;
    const { policy, faults } = policyOf(sent.dto.policy);
    const published = wellKnownOf(sent.fields);
    const form = alsoWrong(sent, { ...faults, ...published.faults, ...notPicked(sent.fields) });
    const typed = {
      base: baseIn(sent.fields),
      members: { ...sent.dto, policy, ...published.said },
    };
    const { before, after } = await this.pages.submit(
      sender,
      { form, page: this.page(place), taken: 'origins', typed },
      () =>
        this.tenancy.changeRelyingParty(sender.account, tenant, domain, (found) => {
          const changes = typedChanges(typed, found);
          const then = changedBy(found, changes);
          ensureAsShown(typed.base, formMembers(found), formMembers(then));
          return changes;
        }),
    );
    note.detail = differencesOf(before, after);
    return { url: addressOf(tenant, domain), banner: this.pages.saved({ before, after }) };
  }

  /** What the policy in the form would mean: leads to the same page, with the answer above the form. */
  @Post('try')
  @LeadsToPage()
  async try(
    @Param() place: RelyingPartyAddress,
    @Body(new FormPipe(RelyingPartyForm)) { dto, fields }: SentForm<RelyingPartyForm>,
    @CurrentSender() sender: Sender,
  ): Promise<RedirectWithBanner> {
    const form = { fields, faults: policyOf(dto.policy).faults };
    const id = await this.pages.submit(sender, { form, page: this.page(place) }, () =>
      this.trials.forms.keep(sender.account, fields),
    );
    return { url: `${addressOf(place.tenant, place.domain)}/try?form=${id}` };
  }

  /** After the form's hour, the page as it is stored. */
  @Get('try')
  @Page('relying-party')
  async outcome(
    @Param() { tenant, domain }: RelyingPartyAddress,
    @Query(DtoPipe) { form: id }: TriedQuery,
    @CurrentAccount() account: Account,
  ) {
    const fields = id === undefined ? undefined : await this.trials.forms.find(account, id);
    if (!fields) return this.pages.relyingParty(tenant, domain, { account });
    const trial = await this.trials.of(tenant, domain, policyOf(enteredIn(fields)).policy);
    const sent = { fields, faults: {} };
    return this.pages.relyingParty(tenant, domain, { account, sent, trial });
  }

  /** Invites those whom the policy in the form would leave without a key: a file with their links. */
  @Post('invite')
  @HttpCode(200)
  @Audited('invitation.issue')
  async invite(
    @Param() place: RelyingPartyAddress,
    @Body(new FormPipe(RelyingPartyForm)) { dto, fields }: SentForm<RelyingPartyForm>,
    @CurrentSender() sender: Sender,
    @CurrentUserRows() rows: UserRows,
    @OwnOrigin() origin: string,
  ): Promise<StreamableFile> {
    const { tenant, domain } = place;
    const { policy, faults } = policyOf(dto.policy);
    const form = { fields, faults };
    const users = await this.pages.submit(sender, { form, page: this.page(place) }, () =>
      this.trials.withoutKey(tenant, domain, policy),
    );
    const wish = { ttl: WEEK_S, again: false, issuedBy: sender.account.name, origin };
    const links = this.invitations.csv(users, wish, rows);
    return csvFile(readerOf(sender.request), 'invitations.csv', links);
  }

  /** A preset in the form: the same page again, with what it sets, and nothing saved. */
  @Post('preset')
  @HttpCode(200)
  @Page('relying-party')
  preset(
    @Param() { tenant, domain }: RelyingPartyAddress,
    @Body(new FormPipe(RelyingPartyForm)) sent: SentForm<RelyingPartyForm>,
    @CurrentSender() { account }: Sender,
  ) {
    const { fields, preset } = this.presets.apply(sent.fields);
    const filled = { fields, faults: {} };
    return this.pages.relyingParty(tenant, domain, { account, sent: filled, preset });
  }

  /** Models that are looked for in the form: the same page again, with what is called so. */
  @Post('models')
  @HttpCode(200)
  @Page('relying-party')
  models(
    @Param() { tenant, domain }: RelyingPartyAddress,
    @Body(new FormPipe(RelyingPartyForm)) { fields }: SentForm<RelyingPartyForm>,
    @CurrentSender() { account }: Sender,
  ) {
    const sent = { fields, faults: {} };
    return this.pages.relyingParty(tenant, domain, { account, sent, sought: true });
  }

  @Post('remove')
  @LeadsToPage()
  @Audited('relying-party.remove')
  async remove(
    @Param() place: RelyingPartyAddress,
    @Body(new FormPipe(RemoveForm)) sent: SentForm<RemoveForm>,
    @CurrentSender() sender: Sender,
    @ShownVersion() expected: ExpectedTags,
  ): Promise<RedirectWithBanner> {
    const { tenant, domain } = place;
    const form = confirmedBy(domain, sent);
    const submission = { form, page: this.page(place), taken: 'confirm' };
    await this.pages.submit(sender, submission, () =>
      this.tenancy.removeRelyingParty(tenant, domain, expected),
    );
    return { url: addressOf(tenant), banner: done(REMOVED) };
  }

  private page({ tenant, domain }: RelyingPartyAddress): FormPage {
    return {
      template: 'relying-party',
      view: (visit) => this.pages.relyingParty(tenant, domain, visit),
    };
  }
}
