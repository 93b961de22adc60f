import { Injectable } from '@nestjs/common';
import { UserChanges } from '../../credentials/user-changes.js';
import { UsersByName } from '../../credentials/users-by-name.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { nameKey } from '../../tenancy/usernames/name-key.js';
import { UploadStore } from './upload-store.js';
import type { ReadLine, Upload } from './upload-store.js';

/** Looked up together, and marked when they are through. */
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

/**
 * Deletes the users of a stored list, in batches, and lets what others change go first. Each user
 * goes in a unit of its own with all credentials, events and the line's outcome: wherever a run ends,
 * nobody is half deleted, and another run deletes who is left. Two runs at once do no harm either.
 */
@Injectable()
export class ListDeletion {
  constructor(
    private readonly store: UploadStore,
    private readonly users: UsersByName,
    private readonly changes: UserChanges,
  ) {}

  async run(upload: Upload, rp: RelyingParty, requestId: string): Promise<Deletion> {
    const sum = { total: 0, deleted: 0, missing: 0, invalid: 0, credentials: 0 };
    await this.store.enter(upload, 'deleting');
    for (let after = 0; ;) {
      const lines = await this.store.lines(upload, after, BATCH);
      const last = lines.at(-1);
      if (!last) break;
      // Says that it goes on, and learns whether it should.
      if (!(await this.store.enter(upload, 'deleting', 'stopped')))
        return { ...sum, stopped: true };
      const deleted = await this.batch(lines, { upload, rp, requestId });
      await this.store.noteMissing(upload, after + 1, last.line);
      const named = lines.filter(({ username }) => username !== undefined).length;
      sum.total += lines.length;
      sum.deleted += deleted.length;
      sum.missing += named - deleted.length;
      sum.invalid += lines.length - named;
      sum.credentials += deleted.reduce((all, n) => all + n, 0);
      after = last.line;
    }
    await this.store.enter(upload, 'done', 'stopped');
    return { ...sum, stopped: false };
  }

  /** @returns how many credentials went with each user that this batch deleted */
  private async batch(
    lines: readonly ReadLine[],
    { upload, rp, requestId }: { upload: Upload; rp: RelyingParty; requestId: string },
  ): Promise<number[]> {
    const named = lines.filter((line) => line.username !== undefined);
    const names = named.map(({ username }) => username);
    const lineOf = new Map(named.map(({ username, line }) => [nameKey(rp, username), line]));
    const found = await this.users.find(rp, names);
    const deleted = await Promise.all(
      found.map((user) => {
        const line = lineOf.get(nameKey(rp, user.username)) ?? 0;
        return this.changes.apply('delete-user', user, {
          requestId,
          background: true,
          along: (credentials) => [this.store.deletedStep(upload, line, credentials)],
        });
      }),
    );
    return deleted.flatMap((credentials) => (credentials ? [credentials.length] : []));
  }
}
