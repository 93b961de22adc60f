import { Body, Controller, Param, Post, UseGuards } from '@nestjs/common';
import { CurrentNote, CurrentUserRows } from '../../audit/audited.js';
import type { AuditNote, UserRows } from '../../audit/audit-trail.js';
import { CurrentAccount, type Account } from '../../platform/access/accounts/account.js';
import { Allow, AllowHere } from '../../platform/access/allow.js';
import { FormGuard } from '../../platform/http/body/form-body.js';
import { ApiExcludeController } from '../../platform/http/openapi/openapi.js';
import {
  LeadsToPage,
  successBanner,
  failureBanner,
  type Banner,
  type RedirectWithBanner,
} from '../../platform/pages/banners.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { TenantDirectory } from '../../tenancy/scope/tenant-directory.js';
import { AaguidDto } from '../whitelist/aaguid.dto.js';
import { AuditedModel, ModelActions } from './model-actions.js';
import { DisableModelDto, ModelJobForm } from './model.dto.js';

/** The forms of the page of a model. */
@ApiExcludeController()
@Allow('keys:change')
@UseGuards(FormGuard)
@Controller('userapi/aaguid/:aaguid')
export class ModelPagesController {
  constructor(
    private readonly actions: ModelActions,
    private readonly directory: TenantDirectory,
  ) {}

  @Post('disable')
  @LeadsToPage()
  @AuditedModel('model.disable')
  async disable(
    @Param(DtoPipe) { aaguid }: AaguidDto,
    @Body(DtoPipe) { reason }: DisableModelDto,
    @CurrentAccount() account: Account,
    @CurrentNote() note: AuditNote,
    @CurrentUserRows() rows: UserRows,
  ): Promise<RedirectWithBanner> {
    await this.actions.disable(this.scopeOf(account, aaguid), { reason, note, rows });
    return { url: pageOf(aaguid), banner: STARTED };
  }

  @Post('stop')
  @LeadsToPage()
  @AuditedModel('model.disable.stop')
  async stop(
    @Param(DtoPipe) { aaguid }: AaguidDto,
    @Body(DtoPipe) { job }: ModelJobForm,
    @CurrentAccount() account: Account,
    @CurrentNote() note: AuditNote,
  ): Promise<RedirectWithBanner> {
    await this.actions.stop(this.scopeOf(account, aaguid), job, note);
    return { url: pageOf(aaguid), banner: STOPPED };
  }

  @Post('resume')
  @LeadsToPage()
  @AuditedModel('model.disable')
  async resume(
    @Param(DtoPipe) { aaguid }: AaguidDto,
    @Body(DtoPipe) { job }: ModelJobForm,
    @CurrentAccount() account: Account,
    @CurrentNote() note: AuditNote,
    @CurrentUserRows() rows: UserRows,
  ): Promise<RedirectWithBanner> {
    await this.actions.resume(this.scopeOf(account, aaguid), job, { note, rows });
    return { url: pageOf(aaguid), banner: STARTED };
  }

  @Post('undo')
  @LeadsToPage()
  @AuditedModel('model.disable.undo')
  async undo(
    @Param(DtoPipe) { aaguid }: AaguidDto,
    @Body(DtoPipe) { job }: ModelJobForm,
    @CurrentAccount() account: Account,
    @CurrentNote() note: AuditNote,
    @CurrentUserRows() rows: UserRows,
  ): Promise<RedirectWithBanner> {
    await this.actions.undo(this.scopeOf(account, aaguid), job, { note, rows });
    return { url: pageOf(aaguid), banner: UNDOING };
  }

  @Post('block-everywhere')
  @AllowHere('policies:change')
  @LeadsToPage()
  @AuditedModel('relying-party.change')
  block(
    @Param(DtoPipe) { aaguid }: AaguidDto,
    @CurrentAccount() account: Account,
    @CurrentNote() note: AuditNote,
  ): Promise<RedirectWithBanner> {
    return this.setBlock(account, aaguid, { blocked: true, note });
  }

  @Post('unblock-everywhere')
  @AllowHere('policies:change')
  @LeadsToPage()
  @AuditedModel('relying-party.change')
  unblock(
    @Param(DtoPipe) { aaguid }: AaguidDto,
    @CurrentAccount() account: Account,
    @CurrentNote() note: AuditNote,
  ): Promise<RedirectWithBanner> {
    return this.setBlock(account, aaguid, { blocked: false, note });
  }

  private async setBlock(
    account: Account,
    aaguid: string,
    { blocked, note }: { readonly blocked: boolean; readonly note: AuditNote },
  ): Promise<RedirectWithBanner> {
    const outcome = await this.actions.block(this.scopeOf(account, aaguid), { blocked, note });
    return { url: pageOf(aaguid), banner: blockBanner(outcome, blocked) };
  }

  private scopeOf(account: Account, aaguid: string) {
    return { account, aaguid, relyingParties: this.directory.visibleTo(account) };
  }
}

const STARTED = successBanner(phrase('models:job.started'));
const STOPPED = successBanner(phrase('models:job.stoppedNow'));
const UNDOING = successBanner(phrase('models:job.undoStarted'));

const pageOf = (aaguid: string): string => `/userapi/aaguid/${aaguid}`;

function blockBanner(
  { changed, left }: { readonly changed: readonly unknown[]; readonly left: readonly string[] },
  blocked: boolean,
): Banner {
  if (left.length > 0)
    return failureBanner(phrase('models:block.left', { domains: left.join(', ') }));
  const count = changed.length;
  return successBanner(phrase(blocked ? 'models:block.done' : 'models:block.undone', { count }));
}
