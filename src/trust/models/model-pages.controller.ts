import { Body, Param, Post, UseGuards } from '@nestjs/common';
import { CurrentCall, type AuditedCall } from '../../audit/audited.js';
import { FormGuard } from '../../platform/http/body/request-body.js';
import {
  LeadsToPage,
  successBanner,
  failureBanner,
  type RedirectWithBanner,
} from '../../platform/pages/banners.js';
import { PageController } from '../../platform/pages/page.interceptor.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { AaguidDto } from '../whitelist/aaguid.dto.js';
import { AuditedModel, ModelActions, type ModelCall } from './model-actions.js';
import { ModelJobs } from './model-jobs.js';
import { DisableModelDto, ModelJobForm } from './model.dto.js';

/** The forms of the page of a model. */
@PageController('userapi/aaguid/:aaguid', 'keys:change')
@UseGuards(FormGuard)
export class ModelPagesController {
  constructor(
    private readonly jobs: ModelJobs,
    private readonly actions: ModelActions,
    private readonly relyingParties: RelyingPartyCache,
  ) {}

  @Post('disable')
  @LeadsToPage()
  @AuditedModel('model.disable')
  async disable(
    @Param(DtoPipe) { aaguid }: AaguidDto,
    @Body(DtoPipe) { reason }: DisableModelDto,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    await this.jobs.start(this.callOf(call, aaguid), reason);
    return { url: pageOf(aaguid), banner: STARTED };
  }

  @Post('stop')
  @LeadsToPage()
  @AuditedModel('model.disable.stop')
  async stop(
    @Param(DtoPipe) { aaguid }: AaguidDto,
    @Body(DtoPipe) { job }: ModelJobForm,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    await this.jobs.change('stop', this.callOf(call, aaguid), job);
    return { url: pageOf(aaguid), banner: STOPPED };
  }

  @Post('resume')
  @LeadsToPage()
  @AuditedModel('model.disable')
  async resume(
    @Param(DtoPipe) { aaguid }: AaguidDto,
    @Body(DtoPipe) { job }: ModelJobForm,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    await this.jobs.change('resume', this.callOf(call, aaguid), job);
    return { url: pageOf(aaguid), banner: STARTED };
  }

  @Post('undo')
  @LeadsToPage()
  @AuditedModel('model.disable.undo')
  async undo(
    @Param(DtoPipe) { aaguid }: AaguidDto,
    @Body(DtoPipe) { job }: ModelJobForm,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    await this.jobs.change('undo', this.callOf(call, aaguid), job);
    return { url: pageOf(aaguid), banner: UNDOING };
  }

  @Post('block-everywhere')
  @LeadsToPage()
  @AuditedModel('relying-party.change', { allow: 'policies:change' })
  block(
    @Param(DtoPipe) { aaguid }: AaguidDto,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    return this.setBlock(this.callOf(call, aaguid), true);
  }

  @Post('unblock-everywhere')
  @LeadsToPage()
  @AuditedModel('relying-party.change', { allow: 'policies:change' })
  unblock(
    @Param(DtoPipe) { aaguid }: AaguidDto,
    @CurrentCall() call: AuditedCall,
  ): Promise<RedirectWithBanner> {
    return this.setBlock(this.callOf(call, aaguid), false);
  }

  private async setBlock(call: ModelCall, blocked: boolean): Promise<RedirectWithBanner> {
    const { changed, left } = await this.actions.block(call, blocked);
    const text = blocked ? 'models:block.done' : 'models:block.undone';
    const banner =
      left.length > 0
        ? failureBanner(phrase('models:block.left', { domains: left.join(', ') }))
        : successBanner(phrase(text, { count: changed.length }));
    return { url: pageOf(call.aaguid), banner };
  }

  private callOf(call: AuditedCall, aaguid: string): ModelCall {
    return { ...call, aaguid, relyingParties: this.relyingParties.visibleTo(call.account) };
  }
}

const STARTED = successBanner(phrase('models:job.started'));
const STOPPED = successBanner(phrase('models:job.stoppedNow'));
const UNDOING = successBanner(phrase('models:job.undoStarted'));

const pageOf = (aaguid: string): string => `/userapi/aaguid/${aaguid}`;
