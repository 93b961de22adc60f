import { Injectable } from '@nestjs/common';
import { Not } from 'typeorm';
import type { Batch } from '../../batches/batch.entity.js';
import { Batches } from '../../batches/batches.js';
import {
  batchCallerOf,
  type BatchCaller,
  type BatchPage,
  type RowJob,
} from '../../batches/row-job.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { nameKey } from '../../tenancy/usernames/name-key.js';
import { auditedUser } from '../../users/audited-user.js';
import { LinkedUsers, type LinkedUser } from '../../users/moves/linked-users.js';
import { userIdAt } from '../../users/moves/move-steps.js';
import { UserChanges, type AppliedChange } from '../../users/user-changes.js';
import type { FoundUser } from '../../users/user-rows.js';
import { UploadStore, type ReadLine } from './upload-store.js';

/** Lines per page. */
const LINES = 200;
const LINE_BYTES = 4;

interface ListedLine {
  readonly line: ReadLine;
  readonly rp: RelyingParty;
  readonly users: readonly FoundUser[];
}

interface DeletedLine {
  readonly outcome: 'deleted' | 'missing' | 'invalid';
  /** Two for a user at both domains of a move. */
  readonly deletions: readonly (AppliedChange & { readonly relyingParty: RelyingParty })[];
}

/** A call deletes for good; the deletions of a page can be undone. */
type ListCaller = BatchCaller & { readonly isForGood?: boolean };

/** Deletes the users of a list line by line, each in one unit with keys, events, audit row and the line's outcome. */
@Injectable()
export class DeleteUsersJob implements RowJob<ListedLine, DeletedLine> {
  readonly name = 'delete-users';
  readonly states = { running: 'deleting', done: 'done' } as const;

  constructor(
    batches: Batches,
    private readonly store: UploadStore,
    private readonly linked: LinkedUsers,
    private readonly changes: UserChanges,
    private readonly directory: RelyingPartyCache,
  ) {
    batches.register(this);
  }

  /** The relying parties at which users are deleted: this one, and before it the domain whose users it takes over. */
  placesOf(rp: RelyingParty): readonly RelyingParty[] {
    return this.directory.current.withPredecessor(rp);
  }

  async find({
    relyingPartyId,
    target,
    position,
  }: Batch): Promise<BatchPage<ListedLine> | undefined> {
    const rp = this.directory.current.relyingParties.find(({ id }) => id.equals(relyingPartyId));
    const list = await this.store.read(target);
    if (!rp || !list || list.state === 'stopped') return undefined;
    const after = position.length > 0 ? position.readUInt32BE() : 0;
    const lines = await this.store.linesAfter(list, after, LINES);
    // The user of a deleted line may have been restored since.
    const open = lines.filter(({ outcome }) => outcome !== 'deleted');
    const found = Map.groupBy(await listedUsers(this.linked, rp, open), ({ name }) =>
      nameKey(rp, name),
    );
    const rows = lines.map((line) => {
      const named = line.username === undefined ? [] : found.get(nameKey(rp, line.username));
      return { line, rp, users: (named ?? []).map(({ user }) => user) };
    });
    const next = lines.length < LINES ? undefined : Buffer.alloc(LINE_BYTES);
    next?.writeUInt32BE(lines.at(-1)?.line ?? 0);
    // Extends the list's lifetime; instances of 1.0 and pages read the state.
    const state = this.store.enterStep(list.id, next ? 'deleting' : 'done', {
      state: Not('stopped'),
    });
    return { rows, looked: rows.length, next, steps: [this.store.missingStep(list, lines), state] };
  }

  /**
   * A user at both domains of a move is deleted at both. The old domain comes first: if the server ends there, the
   * line still leads to the rest. The user at the new domain is read again afterwards, because until then the keys of
   * the old one can register another there.
   */
  async change(batch: Batch, row: ListedLine): Promise<DeletedLine> {
    const { line, rp, users } = row;
    if (line.username === undefined) return { outcome: 'invalid', deletions: [] };
    const isHere = ({ relyingParty }: FoundUser) => relyingParty.id.equals(rp.id);
    const former = users.filter((user) => !isHere(user));
    let here = users.filter(isHere);
    const deletions = [];
    for (const user of former) {
      deletions.push(await this.delete(batch, row, { user, isLast: here.length === 0 }));
    }
    if (former.length > 0) {
      const found = await listedUsers(this.linked, rp, [line]);
      here = found.map(({ user }) => user).filter(isHere);
    }
    for (const user of here) deletions.push(await this.delete(batch, row, { user, isLast: true }));
    const made = deletions.filter((one) => one !== undefined);
    return { outcome: made.length > 0 ? 'deleted' : 'missing', deletions: made };
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
    const list = batch.target.toString('base64url');
    const facts = { list, ...(reason && { reason }) };
    const applied = await this.changes.apply('delete-user', user, {
      requestId,
      calledAt: rp,
      background: true,
      undoable: isForGood ? undefined : { account, reason, occasion: list },
      // The same row as when users are deleted one by one.
      audit: (one) => ({
        ...caller,
        ...auditedUser(one, facts),
        action: 'user.delete',
        result: 'ok',
      }),
      furtherSteps: (credentials) => [
        this.store.deletedStep(batch.target, { line, credentials, isLast }),
      ],
    });
    return applied && { ...applied, relyingParty: user.relyingParty };
  }
}

/**
 * Finds the users of lines, except users who have the name of a line but are not the user whom the line meant when
 * it was stored: the name has been reassigned since.
 */
export async function listedUsers(
  linked: LinkedUsers,
  rp: RelyingParty,
  lines: readonly ReadLine[],
): Promise<LinkedUser[]> {
  const named = lines.filter((line) => line.username !== undefined);
  const meant = new Map(named.map(({ username, userId }) => [nameKey(rp, username), userId]));
  const found = await linked.find(
    rp,
    named.map(({ username }) => username),
  );
  const ofName = Map.groupBy(found, ({ name }) => nameKey(rp, name));
  return [...ofName].flatMap(([name, users]) => {
    const id = meant.get(name);
    if (!id) return users;
    // A user of the old domain may have moved to the new one since.
    const ids = [id, userIdAt(rp, id)];
    return users.some(({ user }) => ids.some((one) => one.equals(user.id))) ? users : [];
  });
}
