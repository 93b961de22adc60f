import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, MoreThan, Not, type FindOptionsWhere, type Repository } from 'typeorm';
import { Batches } from '../../batches/batches.js';
import { Clock } from '../../platform/common/clock.js';
import { isSilent } from '../../platform/database/jobs/abandoned-rows.js';
import { Database } from '../../platform/database/database.js';
import { insertStep, mustChange, updateStep } from '../../platform/database/commit/step-of.js';
import type { Step } from '../../platform/database/commit/unit.js';
import { ApiError } from '../../platform/errors/api-error.js';
import { mapKey } from '../../platform/database/row-ids.js';
import { scope } from '../../platform/database/scope.js';
import type { Account } from '../../platform/access/accounts/account.js';
import type { RelyingParty } from '../../tenancy/relying-party.js';
import { HOUR_MS } from '../../platform/common/durations.js';
import { UploadLines, type StoredLine } from './upload-lines.js';
import { UploadEntity, type Upload, type UploadState } from './upload.entity.js';

const LIFE_MS = HOUR_MS;
const ID_BYTES = 16;
/** The states of lists that are not being processed. */
const AT_REST: UploadState[] = ['ready', 'stopped', 'done'];
/** The cleanup sets the time to 0 before it deletes the lines. */
const UNEXPIRED = { expiresAt: Not(0) };
/** A younger list may be about to be used by the call that uploaded it. */
const NEW_MS = 10_000;

/** Lists of user names, stored in the database so that any instance can process them. `UploadLines` has their lines. */
@Injectable()
export class UploadStore {
  constructor(
    @InjectRepository(UploadEntity) private readonly uploads: Repository<UploadEntity>,
    private readonly lines: UploadLines,
    private readonly batches: Batches,
    private readonly database: Database,
    private readonly clock: Clock,
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
    await this.database.store([insertStep(this.uploads, row)]);
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
    const kept = mustChange(
      updateStep(this.uploads, { id: upload.id, ...UNEXPIRED }, { expiresAt }),
    );
    const isAdded = await this.database.commit([kept, ...this.lines.additions(upload, rp, lines)]);
    if (!isAdded) throw new ApiError('E0044R', 'list.gone');
  }

  /**
   * Adds names after the last line of a list that is ready, except those that the list already contains.
   *
   * @returns `false` if the list has changed since it was read; nothing is added then
   */
  async append(upload: Upload, rp: RelyingParty, names: readonly string[]): Promise<boolean> {
    const { id, expiresAt } = upload;
    const last = await this.lines.last(upload);
    const lines = names.map((username, n) => ({ line: last + 1 + n, username }));
    const where = { id, expiresAt, state: 'ready' } as const;
    // Each change sets another time, so it also tells whether the list has changed.
    const unchanged = mustChange(updateStep(this.uploads, where, { expiresAt: expiresAt + 1 }));
    return this.database.commit([unchanged, ...this.lines.additions(upload, rp, lines)]);
  }

  /**
   * Finds a list of the account; `undefined` for another account's list, and for an incomplete or expired one. It is
   * `stopped` if the instance that deletes its users counts as dead.
   *
   * @param id in Base64URL
   */
  async find(id: string, { name }: Account): Promise<Upload | undefined> {
    const found = await this.uploads.findOneBy({
      id: Buffer.from(id, 'base64url'),
      account: name,
      state: Not('receiving'),
      ...UNEXPIRED,
    });
    if (!found || (await this.isExpired(found))) return undefined;
    const isDead = found.state === 'deleting' && isSilent(lastUse(found), this.clock.now());
    return isDead ? { ...found, state: 'stopped' } : found;
  }

  /** A list on whose users a job works is kept, even after an outage of more than an hour. */
  private async isExpired({ id, expiresAt }: Upload): Promise<boolean> {
    if (expiresAt > this.clock.now()) return false;
    return !(await this.batches.targetsUnderWay()).has(mapKey(id));
  }

  /**
   * A list of any account, for a job on its users. It may be older than an hour, as after an outage: a job ends only if
   * the list was expired for good.
   */
  async read(id: Buffer): Promise<Upload | undefined> {
    return (await this.uploads.findOneBy({ id, ...UNEXPIRED })) ?? undefined;
  }

  /**
   * Sets a state and extends the list's lifetime. The unit is applied only if the list still exists.
   *
   * @param as what the list must be like before
   */
  enterStep(id: Buffer, state: UploadState, as: FindOptionsWhere<UploadEntity> = {}): Step {
    const changes = { state, expiresAt: this.clock.now() + LIFE_MS };
    return mustChange(updateStep(this.uploads, { id, ...UNEXPIRED, ...as }, changes));
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
   * or on whose users a job works.
   *
   * @returns whether any list was expired
   */
  async keepNewest(kept: number, { name }: Account): Promise<boolean> {
    const now = this.clock.now();
    const where = { account: name, expiresAt: MoreThan(now), state: In<UploadState>(AT_REST) };
    const lists = await this.uploads.find({ where, order: { expiresAt: 'DESC' } });
    // Read after the lists: a batch that starts later has extended its list.
    const busy = await this.batches.targetsUnderWay();
    const old = lists
      .slice(kept)
      .filter(({ id, expiresAt }) => expiresAt < now + LIFE_MS - NEW_MS && !busy.has(mapKey(id)));
    for (const one of old) await this.expire(one, { state: one.state, expiresAt: one.expiresAt });
    return old.length > 0;
  }

  /** Expires a list for good: the cleanup deletes it. */
  async expire({ id }: Upload, as: FindOptionsWhere<UploadEntity> = {}): Promise<void> {
    await this.database.store([updateStep(this.uploads, { id, ...as }, { expiresAt: 0 })]);
  }
}

/** When the list was last extended. */
const lastUse = ({ expiresAt }: Upload): number => expiresAt - LIFE_MS;
