import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, MoreThan, Not, type FindOptionsWhere, type Repository } from 'typeorm';
import { Clock } from '../../platform/common/clock.js';
import { splitIntoParts } from '../../platform/common/split-into-parts.js';
import type { ErasedName } from '../../events/erasure/ledger-erasure.js';
import { Database } from '../../platform/database/database.js';
import { insertStep, updateStep } from '../../platform/database/commit/step-of.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { scope, type ScopeOwner } from '../../platform/database/scope.js';
import { NO_ID } from '../../platform/database/row-ids.js';
import type { Account } from '../../platform/access/accounts/account.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { RelyingPartyCache } from '../../tenancy/scope/relying-party-cache.js';
import { HOUR_MS, MINUTE_MS } from '../../platform/common/durations.js';
import { UploadEntity, UploadLine, type UploadState } from './upload.entity.js';
import type { DeletionProgressAnswer } from './lists.answer.js';
import {
  BIND_LINES,
  FORGET_NAME,
  INSERT_LINES,
  LINES_AFTER,
  NAMES_ON_LIST,
  NOTE_DELETED,
  NOTE_MISSING,
  TALLY_LINES,
  type LineOutcome,
  type LineRow,
} from './upload.statements.js';

/** A stored list of user names. It belongs to one account and one relying party, and expires after an hour. */
export type Upload = Readonly<Omit<UploadEntity, 'tenantId'>>;

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

const LIFE_MS = HOUR_MS;
/** Longer than a page of lines takes, and than it takes until another instance continues. */
const LEFT_MS = MINUTE_MS;
const ID_BYTES = 16;
/** The states of lists that are not being processed. */
const AT_REST: UploadState[] = ['ready', 'stopped', 'done'];
/** The cleanup sets the time to 0 before it deletes the lines. */
const UNEXPIRED = { expiresAt: Not(0) };
/** A younger list may be about to be used by the call that uploaded it. */
const NEW_MS = 10_000;

/** Lists of user names, stored in the database so that any instance can process them. */
@Injectable()
export class UploadStore {
  constructor(
    @InjectRepository(UploadEntity) private readonly uploads: Repository<UploadEntity>,
    @InjectRepository(UploadLine) private readonly lines: Repository<UploadLine>,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly relyingParties: RelyingPartyCache,
  ) {}

  /** Creates a list. It can be used once it is `ready`. */
  async begin({ name }: Account, rp: RelyingParty): Promise<Upload> {
    const row = {
      ...scope(rp),
      id: randomBytes(ID_BYTES),
      account: name,
      state: 'receiving' as const,
      expiresAt: this.clock.now() + LIFE_MS,
    };
    await this.database.commit([insertStep(this.uploads, row)]);
    return row;
  }

  /**
   * Adds lines with the users whom they name at the list's relying party, except names that the list already
   * contains. Extends the list's lifetime: it may take longer than that to arrive.
   *
   * @throws ApiError E0044R if the list no longer exists; nothing is added then
   */
  async add(upload: Upload, rp: RelyingParty, lines: readonly StoredLine[]): Promise<void> {
    const expiresAt = this.clock.now() + LIFE_MS;
    const kept = updateStep(this.uploads, { id: upload.id, ...UNEXPIRED }, { expiresAt }, true);
    const isAdded = await this.database.commit([kept, ...this.additions(upload, rp, lines)]);
    if (!isAdded) throw new ApiError('E0044R', 'list.gone');
  }

  private additions({ id }: Upload, rp: RelyingParty, lines: readonly StoredLine[]): Step[] {
    const predecessor = this.relyingParties.current.predecessorOf(rp) ?? rp;
    const bind = BIND_LINES.step({
      uploadId: id,
      relyingPartyId: rp.id,
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

  /**
   * Adds names after the last line of a list that is ready, except those that the list already contains.
   *
   * @returns `false` if the list has changed since it was read; nothing is added then
   */
  async append(upload: Upload, rp: RelyingParty, names: readonly string[]): Promise<boolean> {
    const { id, expiresAt } = upload;
    const last = (await this.lines.maximum('line', { uploadId: id })) ?? 0;
    const lines = names.map((username, n) => ({ line: last + 1 + n, username }));
    const where = { id, expiresAt, state: 'ready' } as const;
    // Each change sets another time, so it also tells whether the list has changed.
    const unchanged = updateStep(this.uploads, where, { expiresAt: expiresAt + 1 }, true);
    return this.database.commit([unchanged, ...this.additions(upload, rp, lines)]);
  }

  async namesOnList({ id }: Upload, names: readonly string[]): Promise<ReadonlySet<string>> {
    if (names.length === 0) return new Set();
    const params = { uploadId: id, names: names.map((name) => Buffer.from(name, 'utf8')) };
    const rows = await this.database.query(NAMES_ON_LIST, params);
    return new Set(rows.map(({ username }) => username.toString('utf8')));
  }

  /**
   * Finds a list of the account; `undefined` for another account's list, and for an incomplete or expired one. It is
   * `stopped` if no server has deleted its users for a while.
   *
   * @param id in Base64URL
   */
  async find(id: string, { name }: Account): Promise<Upload | undefined> {
    const found = await this.uploads.findOneBy({
      id: Buffer.from(id, 'base64url'),
      account: name,
      state: Not('receiving'),
      expiresAt: MoreThan(this.clock.now()),
    });
    const isLeft = found?.state === 'deleting' && this.clock.now() - lastUse(found) > LEFT_MS;
    return isLeft ? { ...found, state: 'stopped' } : (found ?? undefined);
  }

  /** An unexpired list of any account. */
  async read(id: Buffer): Promise<Upload | undefined> {
    const found = await this.uploads.findOneBy({ id, expiresAt: MoreThan(this.clock.now()) });
    return found ?? undefined;
  }

  /**
   * Sets a state and extends the list's lifetime. The unit is applied only if the list still exists.
   *
   * @param as what the list must be like before
   */
  enterStep(id: Buffer, state: UploadState, as: FindOptionsWhere<UploadEntity> = {}): Step {
    const changes = { state, expiresAt: this.clock.now() + LIFE_MS };
    return updateStep(this.uploads, { id, ...UNEXPIRED, ...as }, changes, true);
  }

  /** Stops the deletion of a list, unless it has ended. */
  stopStep({ id }: Upload): Step {
    return this.enterStep(id, 'stopped', { state: Not('done') });
  }

  /** @returns `false` if the list no longer exists */
  enter({ id }: Upload, state: UploadState): Promise<boolean> {
    return this.database.commit([this.enterStep(id, state)]);
  }

  /**
   * Expires all but the newest lists of an account, except lists that are being received, are about to be used
   * or whose users are being deleted.
   *
   * @returns whether any list was expired
   */
  async keepNewest(kept: number, { name }: Account): Promise<boolean> {
    const now = this.clock.now();
    const where = { account: name, expiresAt: MoreThan(now), state: In<UploadState>(AT_REST) };
    const lists = await this.uploads.find({ where, order: { expiresAt: 'DESC' } });
    const old = lists.slice(kept).filter(({ expiresAt }) => expiresAt < now + LIFE_MS - NEW_MS);
    for (const one of old) await this.expire(one, { state: one.state });
    return old.length > 0;
  }

  /** Expires a list for good: the cleanup deletes it. */
  async expire({ id }: Upload, as: FindOptionsWhere<UploadEntity> = {}): Promise<void> {
    await this.database.commit([updateStep(this.uploads, { id, ...as }, { expiresAt: 0 })]);
  }

  async linesAfter({ id }: Upload, after: number, limit: number): Promise<ReadLine[]> {
    const rows = await this.database.query(LINES_AFTER, { uploadId: id, after, limit });
    return rows.map(readLine);
  }

  /** Reads the lines in order, `size` at a time, until at least line `end`. */
  async *pages(upload: Upload, size: number, end = Infinity): AsyncGenerator<ReadLine[], void> {
    for (let last = 0; last < end;) {
      const lines = await this.linesAfter(upload, last, size);
      if (lines.length === 0) return;
      yield lines;
      last = lines.at(-1)?.line ?? end;
    }
  }

  async tally({ id }: Upload): Promise<UploadTally> {
    const tally = { left: 0, deleted: 0, missing: 0, invalid: 0, credentials: 0 };
    const rows = await this.database.query(TALLY_LINES, { uploadId: id });
    for (const { named, outcome, n, c } of rows) {
      tally[Number(named) === 0 ? 'invalid' : (outcome ?? 'left')] += Number(n);
      tally.credentials += Number(c);
    }
    return tally;
  }

  /**
   * Records that a user of a line was deleted; the step belongs to the unit that deletes the user.
   *
   * @param deletion with the number of its credentials, and whether the line's outcome is known with it
   */
  deletedStep(
    uploadId: Buffer,
    { isLast, ...deletion }: Pick<UploadLine, 'line' | 'credentials'> & { isLast: boolean },
  ): Step {
    return NOTE_DELETED.step({ ...deletion, uploadId, outcome: isLast ? 'deleted' : null });
  }

  /** Records for those of these successive lines that have no outcome that there is no such user. */
  missingStep({ id }: Upload, lines: readonly StoredLine[]): Step {
    return NOTE_MISSING.step({ uploadId: id, ...spanOf(lines) });
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
    if (ids.length > 0) await this.database.commit([FORGET_NAME.step({ ids, userId, ...names })]);
  }
}

/** When the list was last extended. */
const lastUse = ({ expiresAt }: Upload): number => expiresAt - LIFE_MS;

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
