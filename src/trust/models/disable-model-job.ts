import { Injectable } from '@nestjs/common';
import type { AuditEntry } from '../../audit/audit-entry.js';
import type { Batch } from '../../batches/batch.entity.js';
import { Batches } from '../../batches/batches.js';
import { callerOf, type BatchPage, type RowJob } from '../../batches/row-job.js';
import type { ShouldContinue } from '../../platform/database/commit/delete-in-batches.js';
import { Database } from '../../platform/database/database.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { auditedUser } from '../../users/audited-user.js';
import { SET_DELETED_KEY_STATE } from '../../users/change.statements.js';
import {
  isChangedBy,
  keyStateSteps,
  stateChanges,
  type KeyDisabling,
  type StateChange,
} from '../../users/credentials/key-state.js';
import { DELETED_KEYS_OF_MODEL } from '../../users/deletions/deletion.statements.js';
import { ModelKeys } from '../../users/list/model-keys.js';
import { UserChanges } from '../../users/user-changes.js';
import type { FoundUser } from '../../users/user-rows.js';
import { aaguidText } from '../../webauthn/aaguid.js';

/** Users per page. */
const USERS = 200;
/** Deleted keys per statement. */
const DELETED = 500;

/**
 * Disables all keys of a model, and enables them again: along the index of models, each user in one unit with events,
 * audit row and count. Keys in the wanted state are skipped.
 */
@Injectable()
export class DisableModelJob implements RowJob<FoundUser, true> {
  readonly name = 'disable-model';
  readonly states = { running: 'disabling', done: 'disabled' } as const;

  constructor(
    private readonly batches: Batches,
    private readonly database: Database,
    private readonly directory: RelyingPartyCache,
    private readonly keys: ModelKeys,
    private readonly changes: UserChanges,
  ) {
    batches.register(this);
  }

  async find({ relyingPartyId, target, position }: Batch): Promise<BatchPage<FoundUser>> {
    const { relyingParties } = this.directory.current;
    const rp = relyingParties.find(({ id }) => id.equals(relyingPartyId));
    // The keys of a removed relying party are being deleted.
    if (!rp) return { rows: [], looked: 0, next: undefined, steps: [] };
    const { users, examined, next } = await this.keys.stepOfKeys(rp, target, position, USERS);
    return { rows: users, looked: examined, next, steps: [] };
  }

  async change(batch: Batch, user: FoundUser): Promise<true | undefined> {
    const caller = callerOf(batch);
    const credentials = user.credentials.filter(
      (key) =>
        key.aaguid.equals(batch.target) && isChangedBy(changeOf(batch), key, disablingOf(batch)),
    );
    if (credentials.length === 0) return true;
    const isChanged = await this.changes.applyOnce(
      changeOf(batch),
      { ...user, credentials },
      {
        requestId: caller.requestId,
        background: true,
        by: disablingOf(batch),
        audit: (one) => auditRow(batch, one),
        along: (keys) => [this.batches.countStep(batch, { keys, users: 1 })],
      },
    );
    return isChanged || undefined;
  }

  /**
   * Changes the deleted keys of the model, which an undo of their deletion would otherwise restore unchanged. This
   * follows the last user, since keys of later users may still be deleted. A key that is restored before restarts the
   * batch.
   */
  async finish(batch: Batch, mayGoOn: ShouldContinue): Promise<boolean> {
    const { relyingPartyId, tenantId, target: aaguid } = batch;
    const { kind } = this.database;
    let after: Buffer = Buffer.alloc(0);
    for (;;) {
      const params = { relyingPartyId, tenantId, aaguid, after, limit: DELETED };
      const rows = await this.database.query(DELETED_KEYS_OF_MODEL[kind], params);
      const changes = stateChanges(changeOf(batch), rows, disablingOf(batch));
      if (changes.length > 0) {
        const rp = { id: relyingPartyId, tenantId };
        const steps = keyStateSteps(SET_DELETED_KEY_STATE[kind], rp, changes);
        const count = this.batches.countStep(batch, { keys: changes.length, users: 0 });
        if (!(await this.database.commit([...steps, count], { background: true }))) return false;
      }
      const last = rows.at(-1);
      if (!last || rows.length < DELETED) return true;
      if (!(await mayGoOn())) return false;
      after = last.id;
    }
  }
}

const changeOf = ({ state }: Batch): StateChange => (state === 'undoing' ? 'lift' : 'disable');

const disablingOf = (batch: Batch): KeyDisabling => ({
  account: callerOf(batch).account,
  reason: batch.reason ?? undefined,
  job: batch.id.toString('base64url'),
});

function auditRow(batch: Batch, user: FoundUser): AuditEntry {
  const { id, target, reason, state } = batch;
  const job = { model: aaguidText(target), job: id.toString('base64url') };
  return {
    ...callerOf(batch),
    ...auditedUser(user, { ...job, ...(reason !== null && { reason }) }),
    result: 'ok',
    action: state === 'undoing' ? 'credential.enable' : 'credential.disable',
  };
}
