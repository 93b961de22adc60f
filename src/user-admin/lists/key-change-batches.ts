import { Injectable } from '@nestjs/common';
import { atRelyingParty } from '../../audit/request-rows.js';
import type { AuditDetail } from '../../audit/audit-entry.js';
import { BatchRunner } from '../../batches/batch-runner.js';
import { Batches, isUnderWay, newBatch, type BatchPart } from '../../batches/batches.js';
import { callerText, type CallOfBatch } from '../../batches/row-job.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { UserChanges } from '../../users/user-changes.js';
import { ChangeKeysJob, KEY_CHANGES, type KeyChange } from './change-keys-job.js';
import { ListWalk } from './list-walk.js';
import { UploadStore } from './upload-store.js';
import type { Upload } from './upload.entity.js';

/** The change of the keys of a list's users, as stored. */
export interface KeyChangeBatch {
  readonly change: KeyChange;
  readonly batch: BatchPart;
}

interface KeyChangeStart {
  readonly change: KeyChange;
  /** The number of users. */
  readonly total: number;
  readonly reason?: string | undefined;
}

/** Disables and enables the keys of a list's users, as a batch: a list has one at a time. */
@Injectable()
export class KeyChangeBatches {
  private readonly jobs: readonly ChangeKeysJob[];

  constructor(
    private readonly batches: Batches,
    private readonly runner: BatchRunner,
    private readonly relyingParties: RelyingPartyCache,
    private readonly store: UploadStore,
    walk: ListWalk,
    changes: UserChanges,
  ) {
    const services = { batches, store, walk, changes };
    this.jobs = KEY_CHANGES.map((change) => new ChangeKeysJob(change, services));
  }

  /** The latest change of a list; `undefined` before the first. */
  async of({ id }: Upload, rp: RelyingParty): Promise<KeyChangeBatch | undefined> {
    const [batch] = (await this.batches.find([rp], id))?.parts ?? [];
    const job = batch && this.jobs.find(({ name }) => name === batch.job);
    return job && { change: job.keyChange, batch };
  }

  /**
   * Starts a change at the first line, with an audit row for each relying party.
   *
   * @returns `false` if the list is being changed or deleted, has nothing to undo, or has changed since it was read;
   *   nothing is changed then
   */
  async start(
    upload: Upload,
    rp: RelyingParty,
    call: CallOfBatch,
    { change, total, reason }: KeyChangeStart,
  ): Promise<boolean> {
    const last = await this.of(upload, rp);
    const isBusy = upload.state !== 'ready' || (last && isUnderWay(last.batch.state));
    const job = this.jobs.find(({ keyChange }) => keyChange === change);
    if (!job || isBusy || (change === 'undo' && last?.change !== 'disable')) return false;
    const { id, state, expiresAt } = upload;
    const given = { id, target: id, total, caller: callerText(call), reason: reason ?? null };
    const batch = newBatch(job, rp, given);
    const detail = { change, users: total, ...(reason && { reason }) };
    const asRead = this.store.enterStep(id, 'ready', { state, expiresAt });
    const unit = [asRead, ...this.batches.startSteps(batch)];
    if (!(await call.commit(unit, this.rowsOf(rp, detail)))) return false;
    this.runner.take([batch]);
    return true;
  }

  /**
   * Stops a change, or continues one that was stopped.
   *
   * @returns `false` if it has ended, or is not stopped; nothing is changed then
   */
  async alter(
    how: 'stop' | 'resume',
    { change, batch }: KeyChangeBatch,
    rp: RelyingParty,
    call: CallOfBatch,
  ): Promise<boolean> {
    const step = this.batches.changeStep(how, batch, callerText(call));
    // A cleanup that is about to delete the list sees that it was extended.
    const extended = this.store.enterStep(batch.target, 'ready', { state: 'ready' });
    const unit = how === 'resume' ? [step, extended] : [step];
    if (!(await call.commit(unit, this.rowsOf(rp, { change })))) return false;
    if (how === 'resume') this.runner.take([batch]);
    return true;
  }

  private rowsOf(rp: RelyingParty, detail: AuditDetail) {
    const places = this.relyingParties.current.withPredecessor(rp);
    return places.map((at) => ({ ...atRelyingParty(at), detail }));
  }
}
