import { Injectable } from '@nestjs/common';
import { Not } from 'typeorm';
import type { AuditDetail } from '../../audit/audit-entry.js';
import { atRelyingParty } from '../../audit/request-rows.js';
import type { Batch } from '../../batches/batch.entity.js';
import { BatchRunner } from '../../batches/batch-runner.js';
import { Batches, newBatch } from '../../batches/batches.js';
import {
  batchCallerOf,
  callerText,
  type BatchCaller,
  type BatchSlice,
  type CallOfBatch,
  type RowJob,
} from '../../batches/row-job.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { Deletions, MAX_UNDONE } from '../../users/deletions/deletions.js';
import { addEnded, noneEnded } from '../../users/lock-outs.js';
import { UserChanges, type AppliedChange } from '../../users/user-changes.js';
import { factsOfUser, type FoundUser } from '../../users/user-rows.js';
import { ListWalk, type ListedLine } from './list-walk.js';
import { deletedStep, missingStep } from './upload-lines.js';
import { UploadStore } from './upload-store.js';
import { uploadIdOf, type Upload } from './upload.entity.js';

interface DeletedLine {
  readonly outcome: 'deleted' | 'missing' | 'invalid';
  /** Two for a user at both domains of a move. */
  readonly deletions: readonly (AppliedChange & { readonly relyingParty: RelyingParty })[];
}

/** A call deletes for good; the deletions of a page can be undone. */
type ListCaller = BatchCaller & { readonly isForGood?: boolean };

/**
 * Deletes the users of a stored list, as a batch for a page, and at once for a call. Each begins at the first line, and
 * leaves out users whom an earlier one has deleted: they may have been restored. Each line is one unit with keys, events,
 * audit row and the line's outcome.
 */
@Injectable()
export class DeleteUsersJob implements RowJob<ListedLine, DeletedLine> {
  readonly name = 'delete-users';
  readonly states = { running: 'deleting', done: 'done' } as const;

  constructor(
    private readonly store: UploadStore,
    private readonly walk: ListWalk,
    private readonly changes: UserChanges,
    private readonly relyingParties: RelyingPartyCache,
    private readonly batches: Batches,
    private readonly runner: BatchRunner,
    private readonly deletions: Deletions,
  ) {
    batches.register(this);
  }

  /** The number of a list's deletions that can be undone; at most as many as one call undoes. */
  async undoable(upload: Upload): Promise<number> {
    return (await this.deletions.ofOccasion(uploadIdOf(upload), MAX_UNDONE)).length;
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
    const rows = this.domainsOf(rp).map((at) => ({ ...atRelyingParty(at), detail }));
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
    const ended = noneEnded();
    const at = this.domainsOf(rp).map((relyingParty) => ({
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
      for await (const { outcomes, slice } of this.runner.run(this, batch)) {
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
        if (!slice.next) isDone = await call.commit(slice.steps, rowsOf(false));
      }
    }
    if (!isDone) await call.commit([], rowsOf(true));
    return { deletion: { ...sum, stopped: !isDone }, ended };
  }

  private batchOf({ id }: Upload, rp: RelyingParty, caller: string): Batch {
    return newBatch(this, rp, { id, target: id, total: 0, caller, reason: null });
  }

  /** The relying parties at which users are deleted: this one, and before it the domain whose users it takes over. */
  private domainsOf(rp: RelyingParty): readonly RelyingParty[] {
    return this.relyingParties.current.withPredecessor(rp);
  }

  async find(batch: Batch): Promise<BatchSlice<ListedLine> | undefined> {
    const slice = await this.walk.slice(batch);
    if (!slice || slice.list.state === 'stopped') return undefined;
    const { list, lines, rows, next } = slice;
    // Extends the list's lifetime; instances of 1.0 and pages read the state.
    const state = this.store.enterStep(list.id, next ? 'deleting' : 'done', {
      state: Not('stopped'),
    });
    return { rows, looked: rows.length, next, steps: [missingStep(list, lines), state] };
  }

  async change(batch: Batch, row: ListedLine): Promise<DeletedLine> {
    if (row.line.username === undefined) return { outcome: 'invalid', deletions: [] };
    const deletions = await this.walk.changeUsers(row, (user, isLast) =>
      this.delete(batch, row, { user, isLast }),
    );
    return { outcome: deletions.length > 0 ? 'deleted' : 'missing', deletions };
  }

  /** @param of the user, and whether the line's outcome is known with this deletion */
  private async delete(
    batch: Batch,
    { line: { line }, rp }: ListedLine,
    { user, isLast }: { readonly user: FoundUser; readonly isLast: boolean },
  ) {
    const { isForGood = false, ...caller }: ListCaller = batchCallerOf(batch);
    const { account, requestId } = caller;
    const reason = batch.reason ?? undefined;
    const list = uploadIdOf({ id: batch.target });
    const facts = { list, ...(reason && { reason }) };
    const undoable = isForGood ? undefined : { account, reason, occasion: list };
    const applied = await this.changes.apply({ kind: 'delete-user', undoable }, user, {
      requestId,
      calledAt: rp,
      background: true,
      // The same row as when users are deleted one by one.
      audit: (one) => ({
        ...caller,
        ...factsOfUser(one, facts),
        action: 'user.delete',
        result: 'ok',
      }),
      furtherSteps: (credentials) => [deletedStep(batch.target, { line, credentials, isLast })],
    });
    return applied && { ...applied, relyingParty: user.relyingParty };
  }
}
