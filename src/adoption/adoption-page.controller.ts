import { Body, Get, Post, Query } from '@nestjs/common';
import type { Request } from 'express';
import { Audited, CurrentCall, type AuditedCall } from '../audit/audited.js';
import { CurrentAccount, type Account } from '../platform/access/accounts/account.js';
import { may } from '../platform/access/permissions.js';
import { ApiError } from '../platform/errors/api-error.js';
import { CurrentRequest } from '../platform/common/from-request.js';
import { FormGuard } from '../platform/http/body/request-body.js';
import { successBanner, LeadsToPage, type RedirectWithBanner } from '../platform/pages/banners.js';
import { phrase } from '../platform/pages/languages/phrase.js';
import { Page, PageController } from '../platform/pages/page.interceptor.js';
import type { PageView } from '../platform/pages/page.view.js';
import { submitForm, type RefusedForm } from '../platform/pages/submit-form.js';
import { MayBeText } from '../platform/validation/decorators.js';
import { DtoPipe, FormPipe, type SentForm } from '../platform/validation/dto.pipe.js';
import { dayText } from '../platform/validation/values/moment.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { RelyingPartyCache } from '../tenancy/scope/relying-party-cache.js';
import { MoveCounts } from '../users/moves/move-counts.js';
import { AdoptionReader } from './adoption-reader.js';
import { adoptionAddress, adoptionPage, overviewPage } from './adoption.view.js';
import { targetView } from './curve/curve.view.js';
import { TargetForm } from './target/target.dto.js';
import { AdoptionTargets } from './target/targets.js';
import { UserReader } from './user-reader.js';

class AdoptionPageQuery {
  @MayBeText()
  rp?: string;
}

/** The page with the adoption figures: of all relying parties, or of the one in the address. */
@PageController('adoption', 'adoption:read')
export class AdoptionPageController {
  constructor(
    private readonly relyingParties: RelyingPartyCache,
    private readonly reader: AdoptionReader,
    private readonly users: UserReader,
    private readonly moves: MoveCounts,
    private readonly targets: AdoptionTargets,
  ) {}

  /** @throws ApiError E0044R for a relying party that the account may not see */
  @Get()
  @Page('adoption')
  async show(
    @Query(DtoPipe) { rp: domain }: AdoptionPageQuery,
    @CurrentAccount() account: Account,
  ): Promise<PageView> {
    const visible = this.relyingParties.visibleTo(account);
    const named = domain !== undefined && domain !== '';
    if (!named && visible.length > 1) return this.overview(visible);
    const rp = named ? this.find(account, domain) : visible[0];
    return rp ? this.page(rp, account) : adoptionPage(undefined, [], undefined);
  }

  @Post('target')
  @LeadsToPage()
  @Audited(({ body }) => ({ action: 'relying-party.change', relyingParty: body?.rp }), {
    allow: 'tenants:change',
    guards: [FormGuard],
  })
  async setTarget(
    @Body(new FormPipe(TargetForm)) form: SentForm<TargetForm>,
    @CurrentRequest() request: Request,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    const { account } = call;
    const rp = this.find(account, form.dto.rp);
    call.about({ tenant: rp.tenant });
    const page = {
      template: 'adoption',
      view: (sent: RefusedForm) => this.page(rp, account, sent),
    };
    await submitForm({ request, form, page, field: 'share' }, () => {
      const { share, by, expectedUsers = null, version } = form.dto;
      const isSet = share !== undefined && by !== undefined;
      const target = isSet ? { share, by: dayText(by), expectedUsers } : null;
      return this.targets.change(call, rp, target, version === undefined ? undefined : [version]);
    });
    const banner = successBanner(phrase('adoption:target.saved'));
    return { url: adoptionAddress(rp.domain), banner };
  }

  private find(account: Account, domain: string): RelyingParty {
    const found = this.relyingParties.findVisible(account, domain);
    if (!found) throw new ApiError('E0044R', 'relyingParty.unknown');
    return found;
  }

  private async overview(rps: readonly RelyingParty[]) {
    const counted = await Promise.all(
      rps.map(async (rp) => ({ rp, users: await this.users.read(rp) })),
    );
    return overviewPage(counted, await this.targets.ofAll(rps));
  }

  private async page(rp: RelyingParty, account: Account, sent?: RefusedForm) {
    const choices = this.relyingParties.visibleTo(account).map((one) => ({
      domain: one.domain,
      selected: one === rp,
    }));
    const stored = await this.targets.find(rp);
    const adoption = await this.reader.read(rp, stored);
    const view = adoptionPage(adoption, choices, await this.moves.shown(rp.domain));
    const mayChange = may(account, 'tenants:change');
    return {
      ...view,
      target: targetView(stored, adoption.users, { mayChange, sent }),
      refused: sent !== undefined,
    };
  }
}
