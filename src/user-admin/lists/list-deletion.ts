import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import type { UserRows } from '../../audit/audit-trail.js';
import { allSettled } from '../../platform/common/all-settled.js';
import { UserChanges, type UserChangeContext } from '../../users/user-changes.js';
import { addEnded } from '../../users/lock-outs.js';
import { Deletions, MAX_UNDONE } from '../../users/deletions/deletions.js';
import { LinkedUsers, type LinkedUser } from '../../users/moves/linked-users.js';
import { userIdAt } from '../../users/moves/move-steps.js';
import { auditedUser } from '../../users/audited-user.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { nameKey } from '../../tenancy/usernames/name-key.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { UploadStore, type ReadLine, type Upload } from './upload-store.js';

/** Lines that are looked up together, and marked together when their users are deleted. */
const BATCH = 200;

/** The request that starts a deletion, its audit rows, and whether the deleted users are stored for an undo. */
type ListOccasion = Pick<UserChangeContext, 'requestId' | 'undoable'> & {
  readonly rows: UserRows;
};

/** The totals of a run at a relying party: there are two, if one takes over the users of the other. */
interface DeletedAt {
  readonly relyingParty: RelyingParty;
  users: number;
  credentials: number;
}

interface Batch {
  readonly upload: Upload;
  readonly lines: readonly ReadLine[];
  readonly rp: RelyingParty;
  readonly occasion: ListOccasion;
  /** Counts the permissions that end with the users. */
  readonly ended: { tickets: number; invitations: number };
}

/**
 * Deletes the users of a stored list, in batches that yield to other changes. Each user is deleted in one unit
 * with all credentials, events, the line's outcome and the audit row: a run that stops leaves no user half
 * deleted, and another run continues. Two simultaneous runs do no harm. A server that shuts down stops the runs that
 * its pages have started; the page of another instance can resume them.
 */
@Injectable()
export class ListDeletion implements OnModuleDestroy {
  private readonly logger = new Logger(ListDeletion.name);
  private readonly running = new Map<Upload, Promise<void>>();

  constructor(
    private readonly store: UploadStore,
    private readonly linked: LinkedUsers,
    private readonly changes: UserChanges,
    private readonly directory: RelyingPartyCache,
    private readonly deletions: Deletions,
  ) {}

  /** Starts or resumes a run for a page, which does not wait for it, and shows its progress. */
  start(upload: Upload, rp: RelyingParty, occasion: ListOccasion): void {
    const run = this.run(upload, rp, occasion)
      .then(() => undefined)
      .catch((error: unknown) => {
        this.logger.warn(`The deletion of a list has stopped: ${String(error)}`);
      })
      .finally(() => this.running.delete(upload));
    this.running.set(upload, run);
  }

  async onModuleDestroy(): Promise<void> {
    const uploads = [...this.running.keys()];
    await Promise.allSettled(uploads.map((upload) => this.store.enter(upload, 'stopped', 'done')));
    await Promise.all(this.running.values());
  }

  /** The number of a list's deletions that can be undone; at most as many as one call undoes. */
  async undoable({ id }: Upload): Promise<number> {
    return (await this.deletions.ofOccasion(id.toString('base64url'), MAX_UNDONE)).length;
  }

  /** @returns the totals of the run, overall and at each relying party */
  async run(upload: Upload, rp: RelyingParty, occasion: ListOccasion) {
    const sum = { total: 0, deleted: 0, missing: 0, invalid: 0 };
    const ended = { tickets: 0, invitations: 0 };
    const rps = this.directory.current.withPredecessor(rp);
    const at: DeletedAt[] = rps.map((relyingParty) => ({ relyingParty, users: 0, credentials: 0 }));
    const result = (stopped: boolean) => {
      const credentials = at.reduce((total, place) => total + place.credentials, 0);
      return { deletion: { ...sum, credentials, stopped }, ended, at };
    };
    // The list may have expired in the meantime.
    if (!(await this.store.enter(upload, 'deleting'))) return result(true);
    for await (const lines of this.store.batches(upload, BATCH)) {
      // Extends the list's lifetime, and detects that the deletion was stopped.
      if (!(await this.store.enter(upload, 'deleting', 'stopped'))) return result(true);
      const deleted = await this.delete({ upload, lines, rp, occasion, ended }, at);
      await this.store.noteMissing(upload, lines);
      const named = lines.filter(({ username }) => username !== undefined).length;
      sum.total += lines.length;
      sum.deleted += deleted.size;
      sum.missing += named - deleted.size;
      sum.invalid += lines.length - named;
    }
    await this.store.enter(upload, 'done', 'stopped');
    return result(false);
  }

  /**
   * A user at both domains of a move is deleted at both, and counts once. The old domain comes first: if a run
   * ends there, the user at the new domain still leads to the rest. Users at the new domain are read
   * afterwards, because until then the keys of the old one can register others there.
   */
  private async delete(batch: Batch, at: readonly DeletedAt[]): Promise<ReadonlySet<number>> {
    const { rp, lines } = batch;
    const deleted = new Set<number>();
    const isHere = ({ relyingParty }: DeletedAt) => relyingParty.id.equals(rp.id);
    for (const place of [...at].sort((a, b) => Number(isHere(a)) - Number(isHere(b)))) {
      const { id } = place.relyingParty;
      const found = await listedUsers(this.linked, rp, lines);
      const users = found.filter(({ user }) => user.relyingParty.id.equals(id));
      for (const { line, credentials } of await this.deleteAll(users, batch)) {
        deleted.add(line);
        place.users += 1;
        place.credentials += credentials;
      }
    }
    return deleted;
  }

  private async deleteAll(users: readonly LinkedUser[], batch: Batch) {
    const { upload, lines, rp, occasion, ended } = batch;
    const { rows, ...rest } = occasion;
    const reason = rest.undoable?.reason;
    const facts = { list: upload.id.toString('base64url'), ...(reason && { reason }) };
    const named = lines.filter((line) => line.username !== undefined);
    const lineOf = new Map(named.map(({ username, line }) => [nameKey(rp, username), line]));
    const deleted = await allSettled(
      users.map(async ({ user, name }) => {
        const line = lineOf.get(nameKey(rp, name)) ?? 0;
        const applied = await this.changes.apply('delete-user', user, {
          ...rest,
          calledAt: rp,
          background: true,
          // The same row as when users are deleted one by one.
          audit: (one) => rows.of({ action: 'user.delete', ...auditedUser(one, facts) }),
          along: (count) => [this.store.deletedStep(upload, line, count)],
        });
        if (!applied) return undefined;
        addEnded(ended, applied);
        return { line, credentials: applied.credentials.length };
      }),
    );
    return deleted.filter((one) => one !== undefined);
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
