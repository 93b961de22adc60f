import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { Repository } from 'typeorm';
import type { ErasedName } from '../../events/erasure/ledger-erasure.js';
import { splitIntoParts } from '../../platform/common/split-into-parts.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { Database } from '../../platform/database/database.js';
import { NO_ID } from '../../platform/database/row-ids.js';
import type { ScopeOwner } from '../../platform/database/scope.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import type { DeletionProgressAnswer } from './lists.answer.js';
import { UploadEntity, UploadLine, type LineOutcome, type Upload } from './upload.entity.js';
import {
  BIND_LINES,
  FORGET_NAME,
  INSERT_LINES,
  LINES_AFTER,
  NAMES_ON_LIST,
  NOTE_DELETED,
  NOTE_MISSING,
  TALLY_LINES,
  type LineRow,
} from './upload.statements.js';

/** A stored line: a name in NFC, or the beginning of a text that cannot be a name. */
export type StoredLine = { readonly line: number } & (
  | { readonly username: string; readonly shown?: undefined }
  | { readonly username?: undefined; readonly shown: string }
);

export type ReadLine = StoredLine & {
  /** The user whom the name meant when the line was stored; see `UploadLine`. */
  readonly userId: Buffer | null;
  /** `null` until a deletion has reached the line. */
  readonly outcome: LineOutcome | null;
  /** The number of credentials that were deleted with the user. */
  readonly credentials: number;
};

/** The number of names with each outcome, of names without one, and of lines that are not names. */
export type UploadTally = Pick<
  DeletionProgressAnswer,
  'left' | 'deleted' | 'missing' | 'invalid' | 'credentials'
>;

/** The lines of the stored lists. */
@Injectable()
export class UploadLines {
  constructor(
    @InjectRepository(UploadEntity) private readonly uploads: Repository<UploadEntity>,
    @InjectRepository(UploadLine) private readonly lines: Repository<UploadLine>,
    private readonly database: Database,
    private readonly relyingParties: RelyingPartyCache,
  ) {}

  /** The steps that add lines with the users whom they name at the list's relying party. */
  additions({ id }: Upload, rp: RelyingParty, lines: readonly StoredLine[]): Step[] {
    const predecessor = this.relyingParties.current.predecessorOf(rp) ?? rp;
    const { id: relyingPartyId } = rp;
    const bind = BIND_LINES.step({
      uploadId: id,
      relyingPartyId,
      predecessorId: predecessor.id,
      nobody: NO_ID,
      ...spanOf(lines),
    });
    const insert = INSERT_LINES[this.database.kind];
    const lineRow = ({ line, username, shown }: StoredLine) => ({
      uploadId: id,
      line,
      username: username === undefined ? null : Buffer.from(username, 'utf8'),
      shown: shown === undefined ? null : Buffer.from(shown, 'utf8'),
    });
    const insertions = partsToInsert(lines).map((part) => insert.step({ rows: part.map(lineRow) }));
    return [...insertions, bind];
  }

  /** The number of the last line; 0 for an empty list. */
  async last({ id }: Upload): Promise<number> {
    return (await this.lines.maximum('line', { uploadId: id })) ?? 0;
  }

  async namesOnList({ id }: Upload, names: readonly string[]): Promise<ReadonlySet<string>> {
    if (names.length === 0) return new Set();
    const params = { uploadId: id, names: names.map((name) => Buffer.from(name, 'utf8')) };
    const rows = await this.database.query(NAMES_ON_LIST, params);
    return new Set(rows.map(({ username }) => username.toString('utf8')));
  }

  async after({ id }: Pick<Upload, 'id'>, after: number, limit: number): Promise<ReadLine[]> {
    const rows = await this.database.query(LINES_AFTER, { uploadId: id, after, limit });
    return rows.map(readLine);
  }

  /** Reads the lines in order, `size` at a time, until at least line `end`. */
  async *slices(
    upload: Pick<Upload, 'id'>,
    size: number,
    end = Infinity,
  ): AsyncGenerator<ReadLine[], void> {
    for (let last = 0; last < end;) {
      const lines = await this.after(upload, last, size);
      if (lines.length === 0) return;
      yield lines;
      last = lines.at(-1)?.line ?? end;
    }
  }

  async tally({ id }: Upload): Promise<UploadTally> {
    const tally = { left: 0, deleted: 0, missing: 0, invalid: 0, credentials: 0 };
    const rows = await this.database.query(TALLY_LINES, { uploadId: id });
    for (const { named, outcome, n, c } of rows) {
      tally[named === 0 ? 'invalid' : (outcome ?? 'left')] += n;
      tally.credentials += c;
    }
    return tally;
  }

  /**
   * Removes a name from all lists of a relying party, each of which contains it at most once; the lines remain
   * and show the pseudonym.
   */
  async forget(rp: ScopeOwner, { name, pseudonym, userId }: ErasedName): Promise<void> {
    const names = { name: Buffer.from(name), pseudonym: Buffer.from(pseudonym) };
    const where = { relyingPartyId: rp.id };
    const lists = await this.uploads.find({ select: { id: true }, where });
    const ids = lists.map(({ id }) => id);
    if (ids.length > 0) await this.database.store([FORGET_NAME.step({ ids, userId, ...names })]);
  }
}

/**
 * Records that a user of a line was deleted; the step belongs to the unit that deletes the user.
 *
 * @param deletion with the number of its credentials, and whether the line's outcome is known with it
 */
export function deletedStep(
  uploadId: Buffer,
  { isLast, ...deletion }: Pick<UploadLine, 'line' | 'credentials'> & { isLast: boolean },
): Step {
  return NOTE_DELETED.step({ ...deletion, uploadId, outcome: isLast ? 'deleted' : null });
}

/** Records for those of these successive lines that have no outcome that there is no such user. */
export function missingStep({ id }: Upload, lines: readonly StoredLine[]): Step {
  return NOTE_MISSING.step({ uploadId: id, ...spanOf(lines) });
}

const readLine = ({ username, shown, ...row }: LineRow): ReadLine => ({
  ...row,
  ...(username
    ? { username: username.toString('utf8') }
    : { shown: shown?.toString('utf8') ?? '' }),
});

const spanOf = (lines: readonly StoredLine[]) => ({
  first: lines[0]?.line ?? 0,
  last: lines.at(-1)?.line ?? 0,
});

const LINES_PER_STATEMENT = 250;

/** Splits lines into parts of `LINES_PER_STATEMENT` lines and of one line, so that there are only two SQL texts. */
const partsToInsert = (lines: readonly StoredLine[]): (readonly StoredLine[])[] =>
  splitIntoParts(lines, LINES_PER_STATEMENT).flatMap((part) =>
    part.length === LINES_PER_STATEMENT ? [part] : part.map((line) => [line]),
  );
