import { Injectable } from '@nestjs/common';
import type { AuditEntry } from '../../audit/audit-entry.js';
import { allSettled } from '../../platform/common/all-settled.js';
import type { Step } from '../../platform/database/commit/unit.js';
import type { ShouldContinue } from '../../platform/database/commit/delete-in-batches.js';
import { Database } from '../../platform/database/database.js';
import { mapKey } from '../../platform/database/row-ids.js';
import { LeasedJob } from '../../platform/database/leased-job.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
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
import { auditedUser } from '../../users/audited-user.js';
import type { FoundUser } from '../../users/user-rows.js';
import { aaguidText } from '../../webauthn/aaguid.js';
import type { ModelJob } from './model-job.entity.js';
import {
  ADVANCE_JOB,
  COUNT_DISABLED,
  COUNT_ENABLED,
  JOBS_UNDER_WAY,
} from './model-job.statements.js';
import type { JobCaller } from './model-jobs.js';

const EVERY_MS = 2_000;
/** Users per page. */
const USERS = 200;
/** Deleted keys per page. */
const DELETED = 500;

/**
 * Disables all keys of a model, and enables them again: page by page along the index of models, each user in one
 * unit with events, audit row and count. One instance does it; if it stops, another continues at the last page.
 * Keys in the wanted state are skipped, so that a repeated page changes nothing twice.
 */
@Injectable()
export class ModelJobRunner extends LeasedJob {
  constructor(
    private readonly database: Database,
    private readonly directory: RelyingPartyCache,
    private readonly keys: ModelKeys,
    private readonly changes: UserChanges,
  ) {
    super(database, {
      name: 'model-jobs',
      everyMs: EVERY_MS,
      retryMessage: 'Keys of a model are changed in a moment',
    });
  }

  protected override work(): Promise<void> {
    return this.catchUp(() => this.hold());
  }

  /**
   * Completes all jobs; tenants take turns after each page, so that a large job delays no other tenant's. It does not
   * check whether this instance holds the lease; `mayGoOn` does.
   *
   * @param mayGoOn called before each page; `false` stops
   * @throws the driver's error; changes made until then stay
   */
  async catchUp(mayGoOn: ShouldContinue = () => true): Promise<void> {
    if (!(await mayGoOn())) return;
    const ended = new Set<string>();
    for (;;) {
      const jobs = await this.database.query(JOBS_UNDER_WAY);
      const open = jobs.filter((job) => !ended.has(keyOf(job)));
      if (open.length === 0) return;
      // Another instance may have added the relying party of a job.
      await this.directory.catchUp();
      const byTenant = Map.groupBy(open, ({ tenantId }) => mapKey(tenantId));
      for (const [job] of byTenant.values()) {
        if (!job || !(await mayGoOn())) return;
        if (!(await this.page(job, mayGoOn))) ended.add(keyOf(job));
      }
    }
  }

  /** @returns `false` if the job is done, or the next round continues it */
  private async page(job: ModelJob, mayGoOn: ShouldContinue): Promise<boolean> {
    const { relyingParties } = this.directory.current;
    const rp = relyingParties.find(({ id }) => id.equals(job.relyingPartyId));
    // The keys of a removed relying party are being deleted.
    const step = rp && (await this.keys.stepOfKeys(rp, job.aaguid, job.position, USERS));
    const settled = await allSettled((step?.users ?? []).map((user) => this.change(job, user)));
    // A key was changed at the same time, or the job was stopped: the page is read again.
    if (settled.includes(false)) return false;
    const next = step?.next;
    if (!next && !(await this.changeDeleted(job, mayGoOn))) return false;
    const done = job.state === 'disabling' ? 'disabled' : 'undone';
    const progress = {
      newState: next ? job.state : done,
      newPosition: next ?? job.position,
      looked: step?.examined ?? 0,
    };
    const advance = ADVANCE_JOB.mustChange({ ...job, ...progress });
    const isOurs = await this.database.commit([advance], { background: true });
    return isOurs && next !== undefined;
  }

  /**
   * Changes the deleted keys of the model, which an undo of their deletion would otherwise restore unchanged. This
   * follows the last user, since keys of later users may still be deleted. A key that is restored before restarts the
   * job.
   *
   * @returns `false` if it had to stop
   */
  private async changeDeleted(job: ModelJob, mayGoOn: ShouldContinue): Promise<boolean> {
    const { relyingPartyId, tenantId, aaguid } = job;
    const { kind } = this.database;
    let after: Buffer = Buffer.alloc(0);
    for (;;) {
      const params = { relyingPartyId, tenantId, aaguid, after, limit: DELETED };
      const rows = await this.database.query(DELETED_KEYS_OF_MODEL[kind], params);
      const changes = stateChanges(changeOf(job), rows, disablingOf(job));
      if (changes.length > 0) {
        const rp = { id: relyingPartyId, tenantId };
        const steps = keyStateSteps(SET_DELETED_KEY_STATE[kind], rp, changes);
        const unit = [...steps, countStep(job, { keys: changes.length, users: 0 })];
        if (!(await this.database.commit(unit, { background: true }))) return false;
      }
      const last = rows.at(-1);
      if (!last || rows.length < DELETED) return true;
      if (!(await mayGoOn())) return false;
      after = last.id;
    }
  }

  /** @returns `false` if nothing was changed, since a concurrent change was faster */
  private change(job: ModelJob, user: FoundUser): Promise<boolean> {
    const caller = JSON.parse(job.caller) as JobCaller;
    const credentials = user.credentials.filter(
      (key) => key.aaguid.equals(job.aaguid) && isChangedBy(changeOf(job), key, disablingOf(job)),
    );
    if (credentials.length === 0) return Promise.resolve(true);
    return this.changes.applyOnce(
      changeOf(job),
      { ...user, credentials },
      {
        requestId: caller.requestId,
        background: true,
        by: disablingOf(job),
        audit: (one) => auditRow(job, caller, one),
        along: (keys) => [countStep(job, { keys, users: 1 })],
      },
    );
  }
}

const keyOf = ({ id, relyingPartyId }: ModelJob): string => mapKey(id) + mapKey(relyingPartyId);

const changeOf = ({ state }: ModelJob): StateChange => (state === 'disabling' ? 'disable' : 'lift');

const disablingOf = (job: ModelJob): KeyDisabling => {
  const { account } = JSON.parse(job.caller) as JobCaller;
  return { account, reason: job.reason ?? undefined, job: job.id.toString('base64url') };
};

/** Its unit is applied only while the job is in this state. */
function countStep(job: ModelJob, counts: { readonly keys: number; readonly users: number }): Step {
  const count = job.state === 'disabling' ? COUNT_DISABLED : COUNT_ENABLED;
  return count.mustChange({ ...job, ...counts });
}

function auditRow(
  { state, aaguid, id, reason }: ModelJob,
  caller: JobCaller,
  user: FoundUser,
): AuditEntry {
  const job = { model: aaguidText(aaguid), job: id.toString('base64url') };
  return {
    ...caller,
    ...auditedUser(user, { ...job, ...(reason !== null && { reason }) }),
    result: 'ok',
    action: state === 'disabling' ? 'credential.disable' : 'credential.enable',
  };
}
