import { Body, Controller, Delete, Get, Param, Post } from '@nestjs/common';
import { CurrentCall, type AuditedCall } from '../../audit/audited.js';
import type { BatchChange } from '../../batches/batches.js';
import { Allow, AllowHere } from '../../platform/access/allow.js';
import { JsonGuard } from '../../platform/http/body/request-body.js';
import { ok } from '../../platform/http/ok.js';
import { ForAudience, Operation } from '../../platform/http/openapi/operation.js';
import { phrase } from '../../platform/pages/languages/phrase.js';
import { ForPage, Represent } from '../../platform/pages/represent.js';
import { DtoPipe } from '../../platform/validation/dto.pipe.js';
import { CurrentParties, Scoped, type CallParties } from '../../tenancy/scope/scope.interceptor.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { ModelKeys } from '../../users/list/model-keys.js';
import { AuthenticatorModels } from '../authenticator-models.js';
import { AaguidDto } from '../whitelist/aaguid.dto.js';
import { AuditedModel, ModelActions, isBlocked, type ModelCall } from './model-actions.js';
import { ModelJobs } from './model-jobs.js';
import { modelFigures } from './model-figures.js';
import {
  ModelAnswer,
  ModelBlockAnswer,
  ModelJobAnswer,
  jobView,
  reportsView,
} from './model.answer.js';
import { DisableModelDto, ModelJobParameters } from './model.dto.js';
import { modelPage, type ModelPage } from './model.view.js';

/** The answer of GET, with the view of its page if a page is requested. */
type ShownModel = ModelAnswer & { readonly page?: ModelPage | undefined };

/** An authenticator model: the users who have its keys, and the actions on a lost or compromised one. */
@ForAudience('administrator')
@Scoped()
@Allow('keys:change')
@Controller('userapi/aaguid/:aaguid')
export class ModelsController {
  constructor(
    private readonly models: AuthenticatorModels,
    private readonly keys: ModelKeys,
    private readonly jobs: ModelJobs,
    private readonly actions: ModelActions,
    private readonly relyingParties: RelyingPartyCache,
  ) {}

  @Get()
  @AllowHere('models:read')
  @Represent<ShownModel>({
    html: ['model', ({ page }) => page ?? { title: phrase('models:title') }],
  })
  @Operation('readModel', 'Shows the metadata of a model and the users who have keys of it', {
    answers: ModelAnswer,
  })
  async show(
    @ForPage() isPage: boolean,
    @Param(DtoPipe) { aaguid }: AaguidDto,
    @CurrentParties() parties: CallParties,
  ): Promise<ShownModel> {
    const { account } = parties;
    // The buttons of the page act on everything that the account may see, whatever `--domain` is.
    const relyingParties = isPage ? this.relyingParties.visibleTo(account) : parties.relyingParties;
    const blocking = relyingParties.filter((rp) => isBlocked(rp, aaguid));
    const answer = {
      aaguid,
      name: this.models.name(aaguid),
      against: this.models.statusAgainst(aaguid) ?? null,
      ...(await modelFigures(this.keys, relyingParties, aaguid)),
      statusReports: reportsView(this.models.reports(aaguid)),
      blockedAt: blocking.map(({ domain }) => domain),
      jobs: (await this.jobs.ofModel(relyingParties, aaguid)).map(jobView),
    };
    if (!isPage) return ok(answer);
    const page = modelPage(answer, {
      account,
      icon: this.models.icon(aaguid),
      hasMetadata: this.models.haveMetadata,
      domains: relyingParties.map(({ domain }) => domain),
    });
    return ok({ ...answer, page });
  }

  @Post('jobs')
  @AuditedModel('model.disable', { keys: true, guards: [JsonGuard] })
  @Operation('disableModel', 'Starts a job that disables all keys of a model', {
    answers: ModelJobAnswer,
    sends: { reason: 'lost in the mail' },
    description: 'The job continues after this answer, and after a restart of the server.',
    refuses: ['E0045R'],
  })
  async disable(
    @Param(DtoPipe) { aaguid }: AaguidDto,
    @Body(DtoPipe) { reason }: DisableModelDto,
    @CurrentParties() parties: CallParties,
    @CurrentCall() call: AuditedCall,
  ): Promise<ModelJobAnswer> {
    const job = await this.jobs.start(callOf(parties, aaguid, call), reason);
    return ok({ job: jobView(job) });
  }

  @Get('jobs/:job')
  @AllowHere(['models:read', 'keys:change'], { keys: true })
  @Operation('readModelJob', 'Shows the progress of a job', { answers: ModelJobAnswer })
  async progress(
    @Param(DtoPipe) { aaguid, job }: ModelJobParameters,
    @CurrentParties() { relyingParties }: CallParties,
  ): Promise<ModelJobAnswer> {
    return ok({ job: jobView(await this.jobs.find(relyingParties, aaguid, job)) });
  }

  @Delete('jobs/:job')
  @AuditedModel('model.disable.stop', { keys: true })
  @Operation('stopModelJob', 'Stops a job; keys that it has disabled stay disabled', {
    answers: ModelJobAnswer,
  })
  async stop(
    @Param(DtoPipe) { aaguid, job }: ModelJobParameters,
    @CurrentParties() parties: CallParties,
    @CurrentCall() call: AuditedCall,
  ): Promise<ModelJobAnswer> {
    return this.change('stop', callOf(parties, aaguid, call), job);
  }

  @Post('jobs/:job/resume')
  @AuditedModel('model.disable', { keys: true })
  @Operation('resumeModelJob', 'Resumes a stopped job', { status: 200, answers: ModelJobAnswer })
  async resume(
    @Param(DtoPipe) { aaguid, job }: ModelJobParameters,
    @CurrentParties() parties: CallParties,
    @CurrentCall() call: AuditedCall,
  ): Promise<ModelJobAnswer> {
    return this.change('resume', callOf(parties, aaguid, call), job);
  }

  @Post('jobs/:job/undo')
  @AuditedModel('model.disable.undo', { keys: true })
  @Operation('undoModelJob', 'Starts to enable the keys that a job has disabled', {
    status: 200,
    answers: ModelJobAnswer,
    description:
      'A key stays as it is if an account has enabled it and disabled it again since. It stays ' +
      'disabled if a finding disables it too.',
  })
  async undo(
    @Param(DtoPipe) { aaguid, job }: ModelJobParameters,
    @CurrentParties() parties: CallParties,
    @CurrentCall() call: AuditedCall,
  ): Promise<ModelJobAnswer> {
    return this.change('undo', callOf(parties, aaguid, call), job);
  }

  @Post('block')
  @AuditedModel('relying-party.change', { allow: 'policies:change' })
  @Operation('blockModel', 'Adds a model to the rule `block` of the policies', {
    status: 200,
    answers: ModelBlockAnswer,
  })
  async block(
    @Param(DtoPipe) { aaguid }: AaguidDto,
    @CurrentParties() parties: CallParties,
    @CurrentCall() call: AuditedCall,
  ): Promise<ModelBlockAnswer> {
    return this.setBlock(callOf(parties, aaguid, call), true);
  }

  @Delete('block')
  @AuditedModel('relying-party.change', { allow: 'policies:change' })
  @Operation('unblockModel', 'Removes a model from the rule `block` of the policies', {
    answers: ModelBlockAnswer,
  })
  async unblock(
    @Param(DtoPipe) { aaguid }: AaguidDto,
    @CurrentParties() parties: CallParties,
    @CurrentCall() call: AuditedCall,
  ): Promise<ModelBlockAnswer> {
    return this.setBlock(callOf(parties, aaguid, call), false);
  }

  private async change(change: BatchChange, call: ModelCall, id: Buffer): Promise<ModelJobAnswer> {
    return ok({ job: jobView(await this.jobs.change(change, call, id)) });
  }

  private async setBlock(call: ModelCall, blocked: boolean): Promise<ModelBlockAnswer> {
    const { changed, left } = await this.actions.block(call, blocked);
    return ok({ aaguid: call.aaguid, changed, left });
  }
}

const callOf = ({ relyingParties }: CallParties, aaguid: string, call: AuditedCall): ModelCall => ({
  ...call,
  aaguid,
  relyingParties,
});
