import type { Batch } from '../../batches/batch.entity.js';
import type { Batches } from '../../batches/batches.js';
import { batchCallerOf, type BatchSlice, type RowJob } from '../../batches/row-job.js';
import { ApiError } from '../../platform/errors/api-error.js';
import type { UserChanges } from '../../users/user-changes.js';
import { factsOfUser, type FoundUser } from '../../users/user-rows.js';
import type { ListWalk, ListedLine } from './list-walk.js';
import type { UploadStore } from './upload-store.js';
import { uploadIdOf } from './upload.entity.js';

/** What can be done to the keys of a list's users; `undo` enables only the keys that `disable` has disabled. */
export const KEY_CHANGES = ['disable', 'enable', 'undo'] as const;
export type KeyChange = (typeof KEY_CHANGES)[number];

/** The same changes and audit rows as for one user. */
const OPERATIONS_ON_KEYS = {
  disable: { kind: 'disable', action: 'user.disable' },
  enable: { kind: 'enable', action: 'user.enable' },
  undo: { kind: 'lift', action: 'user.enable' },
} as const;

interface KeyServices {
  readonly batches: Batches;
  readonly store: UploadStore;
  readonly walk: ListWalk;
  readonly changes: UserChanges;
}

/**
 * Changes the keys of a list's users line by line, each user in one unit with events, audit row and count. The list
 * stays `ready`, so that an undo finds the same users.
 */
export class ChangeKeysJob implements RowJob<ListedLine, true> {
  readonly name: string;
  readonly states = { running: 'changing', done: 'done' } as const;

  constructor(
    readonly keyChange: KeyChange,
    private readonly services: KeyServices,
  ) {
    this.name = `${keyChange}-listed-keys`;
    services.batches.register(this);
  }

  async find(batch: Batch): Promise<BatchSlice<ListedLine> | undefined> {
    const slice = await this.services.walk.slice(batch);
    // The users of a list in another state are being deleted.
    if (slice?.list.state !== 'ready') return undefined;
    const { list, rows, next } = slice;
    const extended = this.services.store.enterStep(list.id, 'ready', { state: 'ready' });
    return { rows, looked: rows.length, next, steps: [extended] };
  }

  async change(batch: Batch, row: ListedLine): Promise<true | undefined> {
    try {
      await this.services.walk.changeUsers(row, (user) => this.changeUser(batch, row, user));
      return true;
    } catch (error) {
      // The user was changed concurrently, or the batch was stopped.
      if (error instanceof ApiError && error.code === 'E0052R') return undefined;
      throw error;
    }
  }

  private changeUser(batch: Batch, { rp }: ListedLine, user: FoundUser) {
    const { kind, action } = OPERATIONS_ON_KEYS[this.keyChange];
    const caller = batchCallerOf(batch);
    const reason = batch.reason ?? undefined;
    const list = uploadIdOf({ id: batch.target });
    const facts = { list, ...(reason && { reason }) };
    const by = { account: caller.account, reason, ...(kind !== 'enable' && { job: list }) };
    return this.services.changes.apply({ kind, by }, user, {
      requestId: caller.requestId,
      calledAt: rp,
      background: true,
      audit: (one) => ({ ...caller, ...factsOfUser(one, facts), action, result: 'ok' }),
      furtherSteps: (keys) =>
        keys === 0 ? [] : [this.services.batches.countStep(batch, { keys, users: 1 })],
    });
  }
}
