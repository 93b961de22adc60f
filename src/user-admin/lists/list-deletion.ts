import { Injectable } from '@nestjs/common';
import { UserChanges } from '../../credentials/user-changes.js';
import type { Occasion } from '../../credentials/user-changes.js';
import { UsersByName } from '../../credentials/users-by-name.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { TenantDirectory } from '../../tenancy/tenant-directory.js';
import { nameKey } from '../../tenancy/usernames/name-key.js';
import { UploadStore } from './upload-store.js';
import type { ReadLine, Upload } from './upload-store.js';

/** Lines that are looked up together, and marked together when their users are deleted. */
const BATCH = 200;

/** What one run did. */
export interface Deletion {
  readonly total: number;
  readonly deleted: number;
  readonly missing: number;
  readonly invalid: number;
  /** Credentials that went with the users. */
  readonly credentials: number;
  /** Whether it was stopped on the way. */
  readonly stopped: boolean;
}

/** The request that asks for a deletion, and whether the deleted users are kept for an undo. */
export type ListOccasion = Pick<Occasion, 'requestId' | 'keeping'>;

/** What a run did in all, and at each relying party: two, where one takes over the users of the other. */
export interface Run {
  readonly deletion: Deletion;
  readonly at: readonly DeletedAt[];
}

export interface DeletedAt {
  readonly relyingParty: RelyingParty;
  readonly users: number;
  readonly credentials: number;
}

type Mutable = { -readonly [K in keyof DeletedAt]: DeletedAt[K] };

/** Lines whose users were deleted, and how many credentials these had in all. */
interface Deleted {
  readonly lines: ReadonlySet<number>;
  readonly credentials: number;
}

/**
 * Deletes the users of a stored list, in batches that give way to the changes of others. Each user is deleted
 * in one unit with all credentials, events and the line's outcome: wherever a run ends, nobody is half
 * deleted, and another run deletes the rest. Two runs at once do no harm either.
 */
@Injectable()
export class ListDeletion {
  constructor(
    private readonly store: UploadStore,
    private readonly users: UsersByName,
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
      // Prolongs the list's life, and learns whether somebody stopped the deletion.
      if (!(await this.store.enter(upload, 'deleting', 'stopped')))
        return { deletion: { ...sum, stopped: true }, at };
      const deleted = await this.batch(lines, { upload, at, occasion });
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

  /** A user who is at both domains of a move is deleted at both, and counts once. */
  private async batch(
    lines: readonly ReadLine[],
    { at, ...run }: { upload: Upload; at: Mutable[]; occasion: ListOccasion },
  ): Promise<Deleted> {
    const deleted = { lines: new Set<number>(), credentials: 0 };
    for (const place of at) {
      const here = await this.batchAt(lines, { ...run, rp: place.relyingParty });
      for (const { line, credentials } of here) {
        deleted.lines.add(line);
        deleted.credentials += credentials;
        place.users += 1;
        place.credentials += credentials;
      }
    }
    return deleted;
  }

  private async batchAt(
    lines: readonly ReadLine[],
    { upload, rp, occasion }: { upload: Upload; rp: RelyingParty; occasion: ListOccasion },
  ) {
    const named = lines.filter((line) => line.username !== undefined);
    const names = named.map(({ username }) => username);
    const lineOf = new Map(named.map(({ username, line }) => [nameKey(rp, username), line]));
    const found = await this.users.find(rp, names);
    const deleted = await Promise.all(
      found.map(async (user) => {
        const line = lineOf.get(nameKey(rp, user.username)) ?? 0;
        const gone = await this.changes.apply('delete-user', user, {
          ...occasion,
          background: true,
          along: (credentials) => [this.store.deletedStep(upload, line, credentials)],
        });
        return gone && { line, credentials: gone.length };
      }),
    );
    return deleted.filter((one) => one !== undefined);
  }
}
