import { Injectable } from '@nestjs/common';
import type { AuditEntry } from '../../audit/audit-entry.js';
import type { Batch } from '../../batches/batch.entity.js';
import { Batches } from '../../batches/batches.js';
import { batchCallerOf, type BatchSlice, type RowJob } from '../../batches/row-job.js';
import { Database } from '../../platform/database/database.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { SET_DELETED_KEY_STATE } from '../../users/credentials/key-state.statements.js';
import {
  isChangedBy,
  keyStateSteps,
  stateChanges,
  type KeyDisabling,
  type StateChange,
} from '../../users/credentials/key-state.js';
import {
  DELETED_KEYS_OF_MODEL,
  type DeletedKeyState,
} from '../../users/deletions/deletion.statements.js';
import { ModelKeys } from '../../users/list/model-keys.js';
import { UserChanges } from '../../users/user-changes.js';
import { factsOfUser, type FoundUser } from '../../users/user-rows.js';
import { aaguidText } from '../../webauthn/aaguid.js';

const USERS_PER_STATEMENT = 200;
/** Deleted keys per slice. */
const KEYS_PER_STATEMENT = 500;

/**
 * The position after the last key, which no fingerprint reaches; the IDs of deleted keys follow it. These come last,
 * since keys of later users may still be deleted. A key that is restored before rewinds the batch.
 */
const AFTER_KEYS = Buffer.alloc(16, 0xff);

/** A user, or some deleted keys. */
type ModelRow = FoundUser | readonly DeletedKeyState[];

/**
 * Disables all keys of a model, and enables them again: along the index of models, each user in one unit with events,
 * audit row and count, and then deleted keys. Keys in the wanted state are skipped.
 */
@Injectable()
export class DisableModelJob implements RowJob<ModelRow, true> {
  readonly name = 'disable-model';
  readonly states = { running: 'disabling', done: 'disabled' } as const;

  constructor(
    private readonly batches: Batches,
    private readonly database: Database,
    private readonly relyingParties: RelyingPartyCache,
    private readonly keys: ModelKeys,
    private readonly changes: UserChanges,
  ) {
    batches.register(this);
  }

  async find(batch: Batch): Promise<BatchSlice<ModelRow>> {
    const { relyingPartyId, target, position } = batch;
    const { all: relyingParties } = this.relyingParties.current;
    const rp = relyingParties.find(({ id }) => id.equals(relyingPartyId));
    // The keys of a removed relying party are being deleted.
    if (!rp) return { rows: [], looked: 0, next: undefined, steps: [] };
    if (position.subarray(0, AFTER_KEYS.length).equals(AFTER_KEYS)) return this.deletedKeys(batch);
    const step = await this.keys.stepOfKeys(rp, target, position, USERS_PER_STATEMENT);
    return { rows: step.users, looked: step.examined, next: step.next ?? AFTER_KEYS, steps: [] };
  }

  async change(batch: Batch, row: ModelRow): Promise<true | undefined> {
    const isChanged =
      'username' in row ? await this.changeUser(batch, row) : await this.changeDeleted(batch, row);
    return isChanged || undefined;
  }

  private async changeUser(batch: Batch, user: FoundUser): Promise<boolean> {
    const caller = batchCallerOf(batch);
    const credentials = user.credentials.filter(
      (key) =>
        key.aaguid.equals(batch.target) && isChangedBy(changeOf(batch), key, disablingOf(batch)),
    );
    if (credentials.length === 0) return true;
    return this.changes.applyOnce(
      { kind: changeOf(batch), by: disablingOf(batch) },
      { ...user, credentials },
      {
        requestId: caller.requestId,
        background: true,
        audit: (one) => auditRow(batch, one),
        furtherSteps: (keys) => [this.batches.countStep(batch, { keys, users: 1 })],
      },
    );
  }

  private async deletedKeys({ relyingPartyId, tenantId, target, position }: Batch) {
    const after = position.subarray(AFTER_KEYS.length);
    const params = { relyingPartyId, tenantId, aaguid: target, after, limit: KEYS_PER_STATEMENT };
    const keys = await this.database.query(DELETED_KEYS_OF_MODEL[this.database.kind], params);
    const last = keys.length < KEYS_PER_STATEMENT ? undefined : keys.at(-1);
    const next = last && Buffer.concat([AFTER_KEYS, last.id]);
    return { rows: [keys], looked: 0, next, steps: [] };
  }

  /** Without this, an undo of their deletion would restore them unchanged. */
  private async changeDeleted(batch: Batch, keys: readonly DeletedKeyState[]) {
    const changes = stateChanges(changeOf(batch), keys, disablingOf(batch));
    if (changes.length === 0) return true;
    const rp = { id: batch.relyingPartyId, tenantId: batch.tenantId };
    const steps = keyStateSteps(SET_DELETED_KEY_STATE[this.database.kind], rp, changes);
    const count = this.batches.countStep(batch, { keys: changes.length, users: 0 });
    return this.database.commit([...steps, count], { background: true });
  }
}

const changeOf = ({ state }: Batch): StateChange => (state === 'undoing' ? 'lift' : 'disable');

const disablingOf = (batch: Batch): KeyDisabling => ({
  account: batchCallerOf(batch).account,
  reason: batch.reason ?? undefined,
  job: batch.id.toString('base64url'),
});

function auditRow(batch: Batch, user: FoundUser): AuditEntry {
  const { id, target, reason, state } = batch;
  const job = { model: aaguidText(target), job: id.toString('base64url') };
  return {
    ...batchCallerOf(batch),
    ...factsOfUser(user, { ...job, ...(reason !== null && { reason }) }),
    result: 'ok',
    action: state === 'undoing' ? 'credential.enable' : 'credential.disable',
  };
}
