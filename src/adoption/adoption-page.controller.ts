import {
  Body,
  Controller,
  Get,
  Post,
  Query,
  UseGuards,
  createParamDecorator,
} from '@nestjs/common';
import type { ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { Audited, CurrentNote } from '../audit/audited.js';
import type { AuditNote } from '../audit/audit-trail.js';
import { differencesBetween } from '../audit/differences.js';
import { CurrentAccount } from '../platform/access/accounts/account.js';
import type { Account } from '../platform/access/accounts/account.js';
import { Allow, AllowHere } from '../platform/access/allow.js';
import { may } from '../platform/access/permissions.js';
import { ApiError } from '../platform/errors/api-error.js';
import type { Code } from '../platform/errors/catalogue.js';
import type { Problem } from '../platform/errors/reasons.js';
import { FormGuard } from '../platform/http/body/form-body.js';
import { ApiExcludeController } from '../platform/http/openapi/openapi.js';
import { done, LeadsToPage } from '../platform/pages/banners.js';
import type { RedirectWithBanner } from '../platform/pages/banners.js';
import { phrase } from '../platform/pages/languages/phrase.js';
import { completePage } from '../platform/pages/page.js';
import { Page } from '../platform/pages/page.interceptor.js';
import { MayBeText } from '../platform/validation/decorators.js';
import { DtoPipe } from '../platform/validation/dto.pipe.js';
import { FormPipe } from '../platform/validation/form.pipe.js';
import type { Faults, SentForm } from '../platform/validation/form.pipe.js';
import { code } from '../platform/validation/rule.js';
import { dayText } from '../platform/validation/values/moment.js';
import type { RelyingParty } from '../tenancy/relying-party.js';
import { TenantDirectory } from '../tenancy/scope/tenant-directory.js';
import { visibleTo } from '../tenancy/scope/visible-tenants.js';
import { Moves } from '../users/moves/moves.js';
import { AdoptionReader } from './adoption-reader.js';
import { adoptionPage } from './adoption.view.js';
import type { AdoptionPageView } from './adoption.view.js';
import { overviewPage } from './overview.view.js';
import { TargetForm } from './target/target.dto.js';
import { targetView } from './target/target.view.js';
import { Targets } from './target/targets.js';
import { UserReader } from './user-reader.js';

/** Parameters of the page. */
class AdoptionPageQuery {
  @MayBeText(code('E0045R'))
  rp?: string;
}

/** The request, by which a page that is shown again is completed. */
const CurrentRequest = createParamDecorator((_: unknown, context: ExecutionContext) =>
  context.switchToHttp().getRequest<Request>(),
);

/** A form that was sent and is shown again. */
type SentBack = Pick<SentForm, 'fields' | 'faults'>;

const SAVED = phrase('adoption:target.saved');
const addressOf = (domain: string): string =>
  `/adoption?${new URLSearchParams({ rp: domain }).toString()}`;

/** The page of the figures on adoption: of all relying parties, or of the one that the address names. */
@ApiExcludeController()
@Allow('adoption:read')
@Controller('adoption')
export class AdoptionPageController {
  constructor(
    private readonly directory: TenantDirectory,
    private readonly reader: AdoptionReader,
    private readonly users: UserReader,
    private readonly moves: Moves,
    private readonly targets: Targets,
  ) {}

  /** @throws ApiError E0044R for a relying party that the account may not see */
  @Get()
  @Page('adoption')
  async show(
    @Query(DtoPipe) { rp: domain }: AdoptionPageQuery,
    @CurrentAccount() account: Account,
  ): Promise<AdoptionPageView> {
    const visible = this.visible(account);
    const named = domain !== undefined && domain !== '';
    if (!named && visible.length > 1) return this.overview(visible);
    const rp = named ? this.find(account, domain) : visible[0];
    return rp ? this.page(rp, account) : adoptionPage(undefined, [], undefined);
  }

  /** Sets the target of a relying party, or removes it. */
  @Post('target')
  @AllowHere('tenants:change')
  @LeadsToPage()
  @UseGuards(FormGuard)
  @Audited(({ body }) => ({ action: 'relying-party.change', relyingParty: body?.rp }))
  async setTarget(
    @Body(new FormPipe(TargetForm)) { dto, fields, faults }: SentForm<TargetForm>,
    @CurrentAccount() account: Account,
    @CurrentRequest() request: Request,
    @CurrentNote() note: AuditNote,
  ): Promise<RedirectWithBanner> {
    const rp = this.find(account, dto.rp);
    note.tenant = rp.tenant;
    const refused = async (first: Problem, found: Faults, refusal: Code) => {
      const view = await this.page(rp, account, { fields, faults: found });
      const page = { template: 'adoption', model: completePage(view, request) };
      return ApiError.of(refusal, first, { page });
    };
    const [first] = Object.values(faults);
    if (first) throw await refused(first, faults, 'E0045R');
    const { share, by, version } = dto;
    const target = share === undefined || by === undefined ? null : { share, by: dayText(by) };
    try {
      const expected = version === undefined ? undefined : [version];
      const { before, after } = await this.targets.change(rp, target, expected);
      note.detail = differencesBetween({ adoptionTarget: before }, { adoptionTarget: after });
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'E0053R') throw error;
      throw await refused(error.problem, { share: error.problem }, 'E0053R');
    }
    return { url: addressOf(rp.domain), banner: done(SAVED) };
  }

  private visible(account: Account): readonly RelyingParty[] {
    const { relyingParties } = visibleTo(account, this.directory.current);
    return relyingParties.toSorted((a, b) => (a.domain < b.domain ? -1 : 1));
  }

  private find(account: Account, domain: string): RelyingParty {
    const found = this.visible(account).find((one) => one.domain === domain);
    if (!found) throw new ApiError('E0044R', 'relyingParty.unknown');
    return found;
  }

  private async overview(rps: readonly RelyingParty[]): Promise<AdoptionPageView> {
    const counted = await this.users.readAll(rps);
    const rows = counted.map(async ({ rp, users }) => {
      const { target } = await this.targets.find(rp);
      return { rp, users, target };
    });
    return overviewPage(await Promise.all(rows));
  }

  private async page(
    rp: RelyingParty,
    account: Account,
    sent?: SentBack,
  ): Promise<AdoptionPageView> {
    const choices = this.visible(account).map((one) => ({
      domain: one.domain,
      selected: one === rp,
    }));
    const adoption = await this.reader.read(rp);
    const view = adoptionPage(adoption, choices, await this.moves.shown(rp.domain));
    const stored = await this.targets.find(rp);
    const mayChange = may(account, 'tenants:change');
    return { ...view, target: targetView(stored, adoption.users, { mayChange, sent }) };
  }
}
