import { Injectable } from '@nestjs/common';
import type { AuditDetail } from '../../audit/audit-entry.js';
import { atRelyingParty } from '../../audit/at-relying-party.js';
import type { Batch } from '../../batches/batch.entity.js';
import { BatchRunner } from '../../batches/batch-runner.js';
import { Batches, newBatch } from '../../batches/batches.js';
import { callerText, type CallOfBatch } from '../../batches/row-job.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { Deletions, MAX_UNDONE } from '../../users/deletions/deletions.js';
import { addEnded } from '../../users/lock-outs.js';
import { DeleteUsersJob } from './delete-users-job.js';
import { UploadStore, type Upload } from './upload-store.js';

/**
 * Deletes the users of a stored list, as a batch for a page, and at once for a call. Each begins at the first line, and
 * leaves out users whom an earlier one has deleted: they may have been restored.
 */
@Injectable()
export class ListDeletion {
  constructor(
    private readonly store: UploadStore,
    private readonly job: DeleteUsersJob,
    private readonly batches: Batches,
    private readonly runner: BatchRunner,
    private readonly deletions: Deletions,
  ) {}

  /** The number of a list's deletions that can be undone; at most as many as one call undoes. */
  async undoable({ id }: Upload): Promise<number> {
    return (await this.deletions.ofOccasion(id.toString('base64url'), MAX_UNDONE)).length;
  }

  /**
   * Starts a deletion for a page, with an audit row for each relying party.
   *
   * @returns `false` if a list that was ready has changed since it was read; nothing is changed then
   */
  async start(
    upload: Upload,
    rp: RelyingParty,
    call: CallOfBatch,
    { detail, reason }: { detail?: AuditDetail | undefined; reason?: string | undefined },
  ): Promise<boolean> {
    const { id, state, expiresAt } = upload;
    const asRead = state === 'ready' ? { state, expiresAt } : {};
    const batch = { ...this.batchOf(upload, rp, callerText(call)), reason: reason ?? null };
    const unit = [this.store.enterStep(id, 'deleting', asRead), ...this.batches.startSteps(batch)];
    const rows = this.job.placesOf(rp).map((at) => ({ ...atRelyingParty(at), detail }));
    if (!(await call.commit(unit, rows))) return false;
    this.runner.take([batch]);
    return true;
  }

  /**
   * Deletes the users for a call that waits for it. The audit rows, one for each relying party, are stored with the end
   * of the list.
   *
   * @returns the totals of the call
   */
  async run(upload: Upload, rp: RelyingParty, call: CallOfBatch) {
    const sum = { total: 0, deleted: 0, missing: 0, invalid: 0, credentials: 0 };
    const ended = { tickets: 0, invitations: 0 };
    const at = this.job.placesOf(rp).map((relyingParty) => ({
      relyingParty,
      users: 0,
      credentials: 0,
    }));
    const rowsOf = (stopped: boolean) =>
      at.map(({ relyingParty, users: deleted, credentials }) => ({
        ...atRelyingParty(relyingParty),
        detail: { ...sum, stopped, deleted, credentials },
      }));
    let isDone = false;
    const batch = this.batchOf(upload, rp, callerText(call, { isForGood: true }));
    // The list may have expired in the meantime.
    if (await this.store.enter(upload, 'deleting')) {
      for await (const { outcomes, page } of this.runner.run(this.job, batch)) {
        sum.total += outcomes.length;
        for (const { outcome } of outcomes) sum[outcome] += 1;
        for (const deletion of outcomes.flatMap(({ deletions }) => deletions)) {
          const { relyingParty, credentials } = deletion;
          addEnded(ended, deletion);
          sum.credentials += credentials.length;
          const place = at.find((one) => one.relyingParty.id.equals(relyingParty.id));
          if (!place) continue;
          place.users += 1;
          place.credentials += credentials.length;
        }
        if (!page.next) isDone = await call.commit(page.steps, rowsOf(false));
      }
    }
    if (!isDone) await call.commit([], rowsOf(true));
    return { deletion: { ...sum, stopped: !isDone }, ended };
  }

  private batchOf({ id }: Upload, rp: RelyingParty, caller: string): Batch {
    return newBatch(this.job, rp, { id, target: id, total: 0, caller, reason: null });
  }
}
