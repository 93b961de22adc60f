import { Injectable } from '@nestjs/common';
import type { AuditFacts } from '../../audit/request-rows.js';
import { BatchRunner } from '../../batches/batch-runner.js';
import {
  Batches,
  isUnderWay,
  newBatch,
  type BatchChange,
  type BatchPart,
  type SeenBatch,
} from '../../batches/batches.js';
import { callerText, type CallOfBatch } from '../../batches/row-job.js';
import { newId } from '../../platform/database/row-ids.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { ModelKeys } from '../../users/list/model-keys.js';
import { aaguidBytes } from '../../webauthn/aaguid.js';
import { DisableModelJob } from './disable-model-job.js';
import type { ModelCall } from './model-actions.js';

type JobCall = CallOfBatch & Pick<ModelCall, 'aaguid' | 'relyingParties' | 'omitRow'>;

/** Starts and changes batches that disable all keys of a model, each part with its audit row. */
@Injectable()
export class ModelJobs {
  constructor(
    private readonly batches: Batches,
    private readonly runner: BatchRunner,
    private readonly job: DisableModelJob,
    private readonly keys: ModelKeys,
  ) {}

  /**
   * Starts a batch at the relying parties that have keys of the model.
   *
   * @throws ApiError E0045R if none has, or one for the model is in progress at one of them
   */
  async start(call: JobCall, text?: string): Promise<SeenBatch> {
    const { aaguid, relyingParties } = call;
    const running = (await this.ofModel(relyingParties, aaguid)).some(({ state }) =>
      isUnderWay(state),
    );
    if (running) throw new ApiError('E0045R', 'model.jobRunning');
    const id = newId();
    const target = aaguidBytes(aaguid);
    const caller = callerText(call);
    const reason = text?.trim() || null;
    const parts: BatchPart[] = [];
    for (const relyingParty of relyingParties) {
      const total = await this.keys.countKeys(relyingParty, target);
      if (total === 0) continue;
      const batch = newBatch(this.job, relyingParty, { id, target, total, caller, reason });
      parts.push({ ...batch, relyingParty });
    }
    if (parts.length === 0) throw new ApiError('E0045R', 'model.noKeys');
    // If two start at once, both disable the keys, which stay disabled until both are undone.
    for (const part of parts) await call.commit(this.batches.startSteps(part), jobFacts(part));
    this.runner.take(parts);
    return this.find(relyingParties, aaguid, id);
  }

  /** The latest batches of a model, the newest first. */
  ofModel(rps: readonly RelyingParty[], aaguid: string): Promise<readonly SeenBatch[]> {
    return this.batches.ofTarget(rps, aaguidBytes(aaguid));
  }

  /** @throws ApiError E0044R if the model has no such batch at these relying parties */
  async find(rps: readonly RelyingParty[], aaguid: string, id: Buffer): Promise<SeenBatch> {
    const found = await this.batches.find(rps, id);
    if (!found?.target.equals(aaguidBytes(aaguid))) throw new ApiError('E0044R', 'model.noJob');
    return found;
  }

  /** @throws as `find` */
  async change(change: BatchChange, call: JobCall, id: Buffer): Promise<SeenBatch> {
    const { aaguid, relyingParties } = call;
    const batch = await this.find(relyingParties, aaguid, id);
    // A part that does not change has no row, for example one that ended before it was stopped.
    call.omitRow();
    for (const part of batch.parts) {
      const step = this.batches.changeStep(change, part, callerText(call));
      await call.commit([step], jobFacts(part));
    }
    if (change !== 'stop') this.runner.take(batch.parts);
    return this.find(relyingParties, aaguid, id);
  }
}

const jobFacts = ({
  id,
  reason,
  total,
  relyingParty: { tenant, domain },
}: BatchPart): AuditFacts => ({
  tenant,
  relyingParty: domain,
  detail: {
    job: id.toString('base64url'),
    keys: total,
    ...(reason !== null && { reason }),
  },
});
