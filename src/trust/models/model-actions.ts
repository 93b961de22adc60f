import { Injectable } from '@nestjs/common';
import type { AuditAction } from '../../audit/actions.js';
import type { AuditNote, UserRows } from '../../audit/audit-trail.js';
import { Audited } from '../../audit/audited.js';
import type { Account } from '../../platform/access/accounts/account.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { ModelBlock, type BlockOutcome } from './model-block.js';
import { ModelJobs, type JobCaller, type SeenJob } from './model-jobs.js';

/** `Audited` for a call with a model in its path. */
export const AuditedModel = (action: AuditAction) =>
  Audited(({ params }) => ({ action, target: String(params['aaguid']) }));

/** The model of a call, and its relying parties. */
interface ModelScope {
  readonly account: Account;
  readonly aaguid: string;
  readonly relyingParties: readonly RelyingParty[];
}

interface Occasion {
  readonly note: AuditNote;
  readonly rows: UserRows;
}

/** Actions on a model, for pages and programs, with the same audit rows. */
@Injectable()
export class ModelActions {
  constructor(
    private readonly jobs: ModelJobs,
    private readonly blocks: ModelBlock,
  ) {}

  /** @throws ApiError as `ModelJobs.start` */
  async disable(
    { aaguid, relyingParties }: ModelScope,
    { reason: text, note, rows }: Occasion & { readonly reason: string | undefined },
  ): Promise<SeenJob> {
    const reason = text?.trim() || undefined;
    const job = await this.jobs.start(relyingParties, aaguid, { caller: callerOf(rows), reason });
    noteOn(note, job);
    return job;
  }

  async stop(scope: ModelScope, id: Buffer, note: AuditNote): Promise<SeenJob> {
    const job = await this.find(scope, id);
    noteOn(note, job);
    await this.jobs.stop(job);
    return this.find(scope, id);
  }

  async resume(scope: ModelScope, id: Buffer, { note, rows }: Occasion): Promise<SeenJob> {
    const job = await this.find(scope, id);
    noteOn(note, job);
    await this.jobs.resume(job, callerOf(rows));
    return this.find(scope, id);
  }

  async undo(scope: ModelScope, id: Buffer, { note, rows }: Occasion): Promise<SeenJob> {
    const job = await this.find(scope, id);
    noteOn(note, job);
    await this.jobs.undo(job, callerOf(rows));
    return this.find(scope, id);
  }

  /** @throws ApiError E0044R if the model has no such job */
  find({ relyingParties, aaguid }: ModelScope, id: Buffer): Promise<SeenJob> {
    return this.jobs.find(relyingParties, aaguid, id);
  }

  /** Blocks or unblocks a model at all relying parties of the call. */
  async block(
    { account, aaguid, relyingParties }: ModelScope,
    { blocked, note }: { readonly blocked: boolean; readonly note: AuditNote },
  ): Promise<BlockOutcome> {
    const outcome = await this.blocks.set(account, relyingParties, { aaguid, blocked });
    if (outcome.changed.length > 0) note.each = outcome.changed;
    else note.detail = { relyingParties: 0 };
    return outcome;
  }
}

/** The caller, as in the later audit rows of the job. */
function callerOf(rows: UserRows): JobCaller {
  const { account, role, address, requestId } = rows.of({});
  return { account, role, address, requestId };
}

function noteOn(note: AuditNote, { id, reason, parts }: SeenJob): void {
  const job = id.toString('base64url');
  note.each = parts.map(({ relyingParty: { tenant, domain }, total }) => ({
    tenant,
    relyingParty: domain,
    detail: { job, keys: Number(total), ...(reason !== null && { reason }) },
  }));
}
