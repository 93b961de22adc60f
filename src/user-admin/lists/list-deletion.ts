import { Injectable } from '@nestjs/common';
import type { UserRows } from '../../audit/audit-trail.js';
import { allSettled } from '../../platform/common/all-settled.js';
import { UserChanges, type UserChangeContext } from '../../users/user-changes.js';
import { LinkedUsers, type LinkedUser } from '../../users/moves/linked-users.js';
import { auditedUser } from '../../users/audited-user.js';
import { nameKey, type RelyingParty } from '../../tenancy/relying-party.js';
import { TenantDirectory } from '../../tenancy/scope/tenant-directory.js';
import type { OkAnswer } from '../../platform/http/ok.js';
import type { ListDeletedAnswer } from './lists.answer.js';
import { UploadStore, type ReadLine, type Upload } from './upload-store.js';
import { listedUsers } from './listed-users.js';

/** Lines that are looked up together, and marked together when their users are deleted. */
const BATCH = 200;

/** The result of one run. */
type ListDeletionReport = Omit<ListDeletedAnswer, keyof OkAnswer | 'uploadId'>;

/** The request that starts a deletion, its audit rows, and whether the deleted users are stored for an undo. */
export type ListOccasion = Pick<UserChangeContext, 'requestId' | 'keeping'> & {
  readonly rows: UserRows;
};

/** The totals of a run, overall and for each relying party: two, if one takes over the users of the other. */
interface Run {
  readonly deletion: ListDeletionReport;
  readonly at: readonly DeletedAt[];
}

interface DeletedAt {
  readonly relyingParty: RelyingParty;
  readonly users: number;
  readonly credentials: number;
}

type Mutable = { -readonly [K in keyof DeletedAt]: DeletedAt[K] };

interface DeletedLines {
  readonly lines: ReadonlySet<number>;
  readonly credentials: number;
}

/**
 * Deletes the users of a stored list, in batches that yield to other changes. Each user is deleted in one unit
 * with all credentials, events, the line's outcome and the audit row: a run that stops leaves no user half
 * deleted, and another run continues. Two simultaneous runs do no harm.
 */
@Injectable()
export class ListDeletion {
  constructor(
    private readonly store: UploadStore,
    private readonly linked: LinkedUsers,
    private readonly changes: UserChanges,
    private readonly directory: TenantDirectory,
  ) {}

  async run(upload: Upload, rp: RelyingParty, occasion: ListOccasion): Promise<Run> {
    const sum = { total: 0, deleted: 0, missing: 0, invalid: 0, credentials: 0 };
    const rps = this.directory.current.withPredecessor(rp);
    const at = rps.map((relyingParty) => ({ relyingParty, users: 0, credentials: 0 }));
    await this.store.enter(upload, 'deleting');
    for (let after = 0; ;) {
      const lines = await this.store.lines(upload, after, BATCH);
      const last = lines.at(-1);
      if (!last) break;
      // Extends the list's lifetime, and detects that the deletion was stopped.
      if (!(await this.store.enter(upload, 'deleting', 'stopped')))
        return { deletion: { ...sum, stopped: true }, at };
      const deleted = await this.batch(lines, { rp, upload, at, occasion });
      await this.store.noteMissing(upload, after + 1, last.line);
      const named = lines.filter(({ username }) => username !== undefined).length;
      sum.total += lines.length;
      sum.deleted += deleted.lines.size;
      sum.missing += named - deleted.lines.size;
      sum.invalid += lines.length - named;
      sum.credentials += deleted.credentials;
      after = last.line;
    }
    await this.store.enter(upload, 'done', 'stopped');
    return { deletion: { ...sum, stopped: false }, at };
  }

  /**
   * A user at both domains of a move is deleted at both, and counts once. The old domain comes first: if a run
   * ends there, the user at the new domain still leads to the rest. Users at the new domain are read
   * afterwards, because until then the keys of the old one can register others there.
   */
  private async batch(
    lines: readonly ReadLine[],
    { rp, at, ...run }: { rp: RelyingParty; upload: Upload; at: Mutable[]; occasion: ListOccasion },
  ): Promise<DeletedLines> {
    const deleted = { lines: new Set<number>(), credentials: 0 };
    const isHere = ({ relyingParty }: Mutable) => relyingParty.id.equals(rp.id);
    for (const place of [...at].sort((a, b) => Number(isHere(a)) - Number(isHere(b)))) {
      const { id } = place.relyingParty;
      const found = listedUsers(rp, lines, await this.linked.find(rp, namesOf(lines)));
      const users = found.filter(({ user }) => user.relyingParty.id.equals(id));
      const here = await this.deleteAll(users, lines, { ...run, rp });
      for (const { line, credentials } of here) {
        deleted.lines.add(line);
        deleted.credentials += credentials;
        place.users += 1;
        place.credentials += credentials;
      }
    }
    return deleted;
  }

  private async deleteAll(
    users: readonly LinkedUser[],
    lines: readonly ReadLine[],
    { upload, rp, occasion }: { upload: Upload; rp: RelyingParty; occasion: ListOccasion },
  ) {
    const { rows, ...rest } = occasion;
    const reason = rest.keeping?.reason;
    const facts = { list: upload.id.toString('base64url'), ...(reason && { reason }) };
    const named = lines.filter((line) => line.username !== undefined);
    const lineOf = new Map(named.map(({ username, line }) => [nameKey(rp, username), line]));
    const deleted = await allSettled(
      users.map(async ({ user, name }) => {
        const line = lineOf.get(nameKey(rp, name)) ?? 0;
        const gone = await this.changes.apply('delete-user', user, {
          ...rest,
          background: true,
          // The same row as when users are deleted one by one.
          audit: (one) => rows.of({ action: 'user.delete', ...auditedUser(one, facts) }),
          along: (credentials) => [this.store.deletedStep(upload, line, credentials)],
        });
        return gone && { line, credentials: gone.length };
      }),
    );
    return deleted.filter((one) => one !== undefined);
  }
}

const namesOf = (lines: readonly ReadLine[]): string[] =>
  lines.flatMap(({ username }) => (username === undefined ? [] : [username]));
