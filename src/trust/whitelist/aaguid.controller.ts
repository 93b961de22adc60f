import {
  Body,
  Controller,
  Delete,
  Get,
  Param,
  Post,
  Query,
  type UseGuards,
  Injectable,
  type CanActivate,
} from '@nestjs/common';
import { ForAudience, Operation } from '../../platform/http/openapi/operation.js';
import type { AuditAction } from '../../audit/audit-entry.js';
import { Audited, CurrentCall, type AuditedCall } from '../../audit/audited.js';
import { ApiError, Refuses } from '../../platform/errors/api-error.js';
import { FormGuard, JsonGuard } from '../../platform/http/body/request-body.js';
import { ok } from '../../platform/http/ok.js';
import {
  LeadsToPage,
  successBanner,
  type RedirectWithBanner,
} from '../../platform/pages/banners.js';
import { plainText } from '../../platform/pages/languages/languages.js';
import { phrase, type Text } from '../../platform/pages/languages/phrase.js';
import { ForPage, Represent } from '../../platform/pages/represent.js';
import { submitForm, type RefusedForm } from '../../platform/pages/submit-form.js';
import { CurrentAccount, type Account } from '../../platform/access/accounts/account.js';
import { Allow, AllowHere } from '../../platform/access/allow.js';
import { AuthenticatorModels } from '../authenticator-models.js';
import { DtoPipe, FormPipe, type SentForm } from '../../platform/validation/dto.pipe.js';
import { Scoped } from '../../tenancy/scope/scope.interceptor.js';
import { MetadataService } from '../metadata/metadata.service.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { Inventory } from '../../users/credentials/inventory.js';
import type { Warning } from '../../platform/pages/page.view.js';
import { mapKey } from '../../platform/database/row-ids.js';
import {
  ListedModelView,
  ModelListedAnswer,
  ModelRemovedAnswer,
  WhitelistAnswer,
} from './aaguid.answer.js';
import { AaguidDto, AddAaguidDto, ModelsPageQuery } from './aaguid.dto.js';
import { AaguidList, hasUnprovedModels, type ListedModel } from './aaguid-list.js';
import {
  UNPROVED_WARNING,
  whitelistPage,
  type WhitelistPage,
  type WhitelistVisit,
} from './aaguid.view.js';

const whitelistOff = (): ApiError => new ApiError('E0046R', 'whitelist.off');

/** Refuses with E0046R if the server was started without `--aaguid on`. */
@Injectable()
@Refuses('E0046R')
class AaguidGuard implements CanActivate {
  constructor(private readonly list: AaguidList) {}

  canActivate(): boolean {
    if (this.list.enabled) return true;
    throw whitelistOff();
  }
}

/** For a handler that changes the whitelist, which concerns all tenants. */
const ChangesWhitelist = (action: AuditAction, ...guards: Parameters<typeof UseGuards>) =>
  Audited(
    ({ params, body }) => ({ action, target: params['aaguid']?.toString() ?? body?.aaguid }),
    { allTenants: true, guards: [AaguidGuard, ...guards] },
  );

const PAGE = '/userapi/aaguid';

/** Answers are in English, whatever the language of the page. */
const inEnglish = (text: Text): string => (typeof text === 'string' ? text : plainText('en', text));

/** The answer of GET, with the view of its page if a page is requested. */
type AaguidAnswer = WhitelistAnswer & { readonly page?: WhitelistPage | undefined };

/** The AAGUID whitelist; without one, its page still shows the models in use. */
@ForAudience('administrator')
@Scoped('nothing')
@Allow('models:change')
@Controller('userapi/aaguid')
export class AaguidController {
  constructor(
    private readonly list: AaguidList,
    private readonly models: AuthenticatorModels,
    private readonly inventory: Inventory,
    private readonly relyingParties: RelyingPartyCache,
    private readonly metadata: MetadataService,
  ) {}

  @Get()
  @AllowHere('models:read')
  @Represent<AaguidAnswer>({
    html: ['models', ({ page }) => page ?? { title: phrase('models:title') }],
  })
  @Operation('listModels', 'Lists the models that may register', {
    allowsUnknownNames: true,
    answers: WhitelistAnswer,
    refuses: ['E0046R'],
  })
  async show(
    @ForPage() isPage: boolean,
    @Query(DtoPipe) { find }: ModelsPageQuery,
    @CurrentAccount() account: Account,
  ): Promise<AaguidAnswer> {
    // Only the page needs the count of models in use. JSON omits undefined members.
    const page = isPage ? await this.page(account, { find }) : undefined;
    const { enabled, models } = this.list;
    if (!enabled && !isPage) throw whitelistOff();
    const warnings = this.warnings().map((warning) =>
      [warning.title, warning.text].map(inEnglish).join(' '),
    );
    return ok({
      enabled,
      aaguids: models.map((model) => this.view(model)),
      warnings: warnings.length === 0 ? undefined : warnings,
      page,
    });
  }

  @Post()
  @ChangesWhitelist('aaguid.add', JsonGuard)
  @Operation('addModel', 'Adds a model to the whitelist, or renames a listed model', {
    status: 200,
    answers: ModelListedAnswer,
  })
  async add(@Body(DtoPipe) dto: AddAaguidDto, @CurrentCall() call: AuditedCall) {
    await this.list.add(call, dto);
    const added = this.list.models.find(({ aaguid }) => aaguid === dto.aaguid);
    if (!added) throw new ApiError('E0044R', 'whitelist.takenOff');
    return ok(this.view(added));
  }

  @Delete(':aaguid')
  @ChangesWhitelist('aaguid.remove')
  @Operation('removeModel', 'Removes a model from the whitelist; its keys stay', {
    answers: ModelRemovedAnswer,
    refuses: ['E0044R'],
  })
  async remove(@Param(DtoPipe) { aaguid }: AaguidDto, @CurrentCall() call: AuditedCall) {
    await this.list.remove(call, aaguid);
    return ok({ aaguid, removed: true });
  }

  @Post('add')
  @LeadsToPage()
  @ChangesWhitelist('aaguid.add', FormGuard)
  async addByForm(
    @Body(new FormPipe(AddAaguidDto)) form: SentForm<AddAaguidDto>,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    const { request, account } = call;
    const view = (sent: RefusedForm) => this.page(account, { sent });
    await submitForm({ request, form, page: { template: 'models', view } }, () =>
      this.list.add(call, form.dto),
    );
    const name = this.nameOf(form.dto.aaguid);
    return { url: PAGE, banner: successBanner(phrase('models:done.added', { name })) };
  }

  @Post('remove')
  @LeadsToPage()
  @ChangesWhitelist('aaguid.remove', FormGuard)
  async removeByForm(
    @Body(DtoPipe) { aaguid }: AaguidDto,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    const name = this.nameOf(aaguid);
    await this.list.remove(call, aaguid);
    return { url: PAGE, banner: successBanner(phrase('models:done.removed', { name })) };
  }

  /** @param account sees the counts and block lists of its tenants only */
  private async page(account: Account, visit: WhitelistVisit) {
    const { list, models } = this;
    const relyingParties = this.relyingParties.visibleTo(account);
    const inUse = await this.countAt(new Set(relyingParties.map(({ id }) => mapKey(id))));
    const warnings = this.warnings();
    const hasMetadata = this.metadata.enabled;
    const shown = { list, models, inUse, relyingParties, warnings, hasMetadata };
    return whitelistPage(shown, account, visit);
  }

  /** Warnings about gaps in the protection by the list. */
  private warnings(): readonly Warning[] {
    const options = { aaguid: this.list.enabled, mds: this.metadata.enabled ? ['on'] : [] };
    const { all: relyingParties } = this.relyingParties.current;
    return hasUnprovedModels(options, relyingParties) ? [UNPROVED_WARNING] : [];
  }

  private async countAt(relyingParties: ReadonlySet<string>): Promise<Map<string, number>> {
    const counts = new Map<string, number>();
    for (const { relyingParty, aaguid, n } of await this.inventory.keysByModel()) {
      if (relyingParties.has(relyingParty)) counts.set(aaguid, (counts.get(aaguid) ?? 0) + n);
    }
    return counts;
  }

  /** The name on the list, else the one in the metadata, else the AAGUID. */
  private nameOf(aaguid: string): string {
    const listed = this.list.models.find((model) => model.aaguid === aaguid);
    return listed?.name || (this.models.name(aaguid) ?? aaguid);
  }

  private view({ aaguid, name, addedAt, addedBy }: ListedModel): ListedModelView {
    return {
      aaguid,
      name: name || this.models.name(aaguid),
      addedAt: new Date(addedAt).toISOString(),
      addedBy,
    };
  }
}
