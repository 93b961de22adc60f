import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { LinkedUsers } from '../../../users/moves/linked-users.js';
import { UsersByName } from '../../../users/users-by-name.js';
import { Database } from '../../../platform/database/database.js';
import { csvHeading, csvRows, type CsvDialect } from '../../../platform/pages/csv.js';
import type { RelyingParty } from '../../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../../tenancy/scope/relying-party-cache.js';
import { UploadLines } from '../../lists/upload-lines.js';
import type { Upload } from '../../lists/upload.entity.js';
import { listedUsers } from '../../lists/list-walk.js';
import { COUNT_FOUND } from '../../lists/upload.statements.js';

const COUNTED_PER_STATEMENT = 20_000;
const LINES_PER_STATEMENT = 1000;
/** The maximum number of lines that are searched for unknown or differently cased names, and of suggested users. */
const SEARCHED_LINES = 10_000;
const MAX_SIMILAR = 100;

interface PreviewLine {
  readonly line: number;
  readonly name: string;
  readonly state: 'found' | 'missing' | 'invalid';
  readonly keys: number;
}

/** Looks up which names of a stored list are users, before anything is deleted. */
@Injectable()
export class ListPreview {
  constructor(
    private readonly database: Database,
    private readonly lines: UploadLines,
    private readonly linked: LinkedUsers,
    private readonly users: UsersByName,
    private readonly relyingParties: RelyingPartyCache,
  ) {}

  /** The effect of a deletion, with at most `limit` lines, and users whose names the list has in another case. */
  async of(upload: Upload, rp: RelyingParty, limit: number) {
    const [counts, lines, similar] = await Promise.all([
      this.count(upload, rp),
      this.first(upload, rp, limit),
      this.similar(upload, rp),
    ]);
    return { ...counts, lines, similar };
  }

  /** Counts the effects of a deletion: a million names in a few seconds, yielding to other tasks. */
  async count(upload: Upload, rp: RelyingParty) {
    const { left, deleted, missing, invalid } = await this.lines.tally(upload);
    const last = await this.lines.last(upload);
    const predecessor = this.relyingParties.current.predecessorOf(rp) ?? rp;
    const names = left + deleted + missing;
    let found = 0;
    // Meanwhile names may be erased and lines deleted, so the names found do not say where the list ends.
    for (let from = 0; from < last; from += COUNTED_PER_STATEMENT) {
      const [counted] = await this.database.query(COUNT_FOUND, {
        uploadId: upload.id,
        after: from,
        last: from + COUNTED_PER_STATEMENT,
        relyingPartyId: rp.id,
        predecessorId: predecessor.id,
      });
      found += counted?.found ?? 0;
      await yieldToEventLoop();
    }
    return { found, missing: names - found, invalid };
  }

  /**
   * Returns the lines to show: of the first `SEARCHED_LINES`, those without a user come first. They leave half of the
   * room to users who will be deleted.
   */
  private async first(upload: Upload, rp: RelyingParty, limit: number): Promise<PreviewLine[]> {
    const shown: Record<'open' | 'found', PreviewLine[]> = { open: [], found: [] };
    for await (const lines of this.slices(upload, rp, SEARCHED_LINES)) {
      for (const one of lines) shown[one.state === 'found' ? 'found' : 'open'].push(one);
      if (shown.open.length >= limit && shown.found.length >= limit / 2) break;
    }
    const room = Math.max(limit / 2, limit - shown.found.length);
    return [...shown.open.slice(0, room), ...shown.found].slice(0, limit);
  }

  /**
   * Finds users whose names a list contains in another case: those of its first `SEARCHED_LINES` lines, at most
   * `MAX_SIMILAR`. `isListed` says whether the list contains the user as well.
   */
  async similar(upload: Upload, rp: RelyingParty) {
    const similar: { line: number; name: string; user: string }[] = [];
    for await (const lines of this.slices(upload, rp, SEARCHED_LINES)) {
      const missing = lines.filter(({ state }) => state === 'missing');
      const names = missing.map(({ name }) => name);
      const alike = await this.users.alike(rp, names);
      for (const { line, name } of missing) {
        for (const user of alike.get(name) ?? []) similar.push({ line, name, user });
      }
      if (similar.length >= MAX_SIMILAR) break;
    }
    const offered = similar.slice(0, MAX_SIMILAR);
    const listed = await this.lines.namesOnList(
      upload,
      offered.map(({ user }) => user),
    );
    return offered.map((one) => ({ ...one, isListed: listed.has(one.user) }));
  }

  /** Writes all lines as CSV while they are looked up. */
  async *csv(upload: Upload, rp: RelyingParty, dialect?: CsvDialect): AsyncGenerator<string> {
    yield csvHeading(['line', 'username', 'state', 'keys', 'similar'], dialect);
    for await (const evaluated of this.slices(upload, rp)) {
      const missing = evaluated.flatMap(({ state, name }) => (state === 'missing' ? [name] : []));
      const alike = await this.users.alike(rp, missing);
      yield csvRows(
        evaluated.map(({ line, name, state, keys }) => [
          line,
          name,
          state,
          keys,
          alike.get(name)?.join(' ') ?? '',
        ]),
        dialect,
      );
    }
  }

  /** Looks up the lines in order, until at least line `end`. */
  private async *slices(upload: Upload, rp: RelyingParty, end?: number) {
    for await (const lines of this.lines.slices(upload, LINES_PER_STATEMENT, end)) {
      const keys = new Map<string, number>();
      for (const { user, name } of await listedUsers(this.linked, rp, lines)) {
        keys.set(name, (keys.get(name) ?? 0) + user.credentials.length);
      }
      yield lines.map(({ line, username, shown }): PreviewLine => {
        if (username === undefined) return { line, name: shown, state: 'invalid', keys: 0 };
        const count = keys.get(username);
        const state = count === undefined ? 'missing' : 'found';
        return { line, name: username, state, keys: count ?? 0 };
      });
    }
  }
}
