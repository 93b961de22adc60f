import {
  Column,
  PrimaryColumn,
  type FindOptionsWhere,
  type QueryDeepPartialEntity,
  type Repository,
} from 'typeorm';
import { isWindowOver } from '../platform/common/clock.js';
import { HOUR_MS, MINUTE_MS } from '../platform/common/durations.js';
import { SILENCE_MS } from '../platform/database/jobs/abandoned-rows.js';
import { insertStep, mustChange, updateStep } from '../platform/database/commit/step-of.js';
import type { Step } from '../platform/database/commit/unit.js';
import { falseIfTaken } from '../platform/database/commit/unique-violation.js';
import type { Database } from '../platform/database/database.js';
import { fixedBytes, WHOLE, words } from '../platform/database/entities/column-types.js';
import type { MetadataSource } from './metadata/metadata-source.js';

/** Time between two reads of a file, which cost next to nothing. */
const FILE_MS = MINUTE_MS;
/** Time between two requests after the announced day has passed without new content. */
const OVERDUE_MS = 6 * HOUR_MS;
const FIRST_RETRY_MS = MINUTE_MS;
const LAST_RETRY_MS = 6 * HOUR_MS;
/** Requests are spread over an hour, since servers all over the world wait for the same midnight. */
const SPREAD_MS = HOUR_MS;

const MAX_ERROR = 255;

/** Digest of a source that has never been fetched successfully. */
export const NO_DIGEST = Buffer.alloc(32);

/** The state of a source that was never fetched. */
export const UNTRIED = { digest: NO_DIGEST, dueAt: 0, checkedAt: 0, failures: 0, error: '' };

/**
 * A source that one of several instances fetches for all, and when to fetch it again. Times are milliseconds since
 * 1970, 0 for never.
 */
export abstract class FetchedSource {
  /** First half of the SHA-256 of the source's name. */
  @PrimaryColumn(fixedBytes(16))
  id!: Buffer;

  /** SHA-256 of the last good content; zeros if there is none. */
  @Column(fixedBytes(32))
  digest!: Buffer;

  @Column(WHOLE)
  dueAt!: number;

  @Column(WHOLE)
  checkedAt!: number;

  @Column(WHOLE)
  failures!: number;

  /** Why the last attempt failed; empty if it succeeded. */
  @Column(words(MAX_ERROR))
  error!: string;
}

interface FetchOutcome {
  /** Why it failed; empty if it succeeded. */
  readonly error: string;
  /** When the content announces the next one, in ms since 1970. */
  readonly nextUpdate: number;
}

/** The rows of sources, in the database that instances share. */
export abstract class FetchedSourceStore<Source extends FetchedSource> {
  /** @param background whether writes wait for the writes of calls */
  constructor(
    protected readonly sources: Repository<Source>,
    protected readonly database: Database,
    private readonly background = false,
  ) {}

  /** The states of all sources, without their content. */
  states(): Promise<Source[]> {
    return this.sources.find();
  }

  /**
   * Fetches a source unless another instance does, and stores the outcome and when the source is due again.
   *
   * @returns the error of the attempt, unless it is the same as the last time; empty if there is none
   */
  async attempt(
    { id, dueAt, failures, error: last }: Omit<FetchedSource, 'digest' | 'checkedAt'>,
    { kind, now }: { readonly kind: MetadataSource['kind']; readonly now: number },
    fetch: () => Promise<FetchOutcome>,
  ): Promise<string> {
    // Due again if this instance dies meanwhile.
    if (!(await this.update({ id, dueAt }, { dueAt: now + SILENCE_MS }))) return '';
    const { error, nextUpdate } = await fetch();
    const next = afterAttempt(kind, { now, isGood: error === '', failures, nextUpdate });
    await this.update({ id }, { ...next, checkedAt: now, error: error.slice(0, MAX_ERROR) });
    return error === last ? '' : error;
  }

  protected async add(row: QueryDeepPartialEntity<Source>): Promise<void> {
    const { background } = this;
    await falseIfTaken(this.database.commit([insertStep(this.sources, row)], { background }));
  }

  /** @returns `false` if the source has changed since it was read */
  protected update(
    found: Partial<FetchedSource>,
    changes: Partial<FetchedSource> | Partial<Source>,
  ): Promise<boolean> {
    const { background } = this;
    return this.database.commit([this.updateStep(found, changes)], { background });
  }

  /** Its unit fails if the source has changed since it was read. */
  protected updateStep(
    found: Partial<FetchedSource>,
    changes: Partial<FetchedSource> | Partial<Source>,
  ): Step {
    return mustChange(
      updateStep(
        this.sources,
        found as FindOptionsWhere<Source>,
        changes as QueryDeepPartialEntity<Source>,
      ),
    );
  }
}

/** How an attempt ended. */
interface Attempt {
  readonly now: number;
  readonly isGood: boolean;
  /** Consecutive failures before it. */
  readonly failures: number;
  /** When the content announces the next one, in ms since 1970. */
  readonly nextUpdate: number;
}

/**
 * The number of consecutive failures after an attempt, and when the next one is due, in ms since 1970: for a file after
 * a minute; for an address on the announced day, or after a failure in a minute that doubles each time up to six hours,
 * a quarter more or less at random.
 */
export function afterAttempt(
  kind: MetadataSource['kind'],
  { now, isGood, failures: before, nextUpdate }: Attempt,
): { readonly failures: number; readonly dueAt: number } {
  const failures = isGood ? 0 : before + 1;
  if (kind !== 'url') return { failures, dueAt: now + FILE_MS };
  const random = Math.random();
  if (isGood) {
    const dueAt = Math.max(nextUpdate, now + OVERDUE_MS) + Math.floor(random * SPREAD_MS);
    return { failures, dueAt };
  }
  const pause = Math.min(FIRST_RETRY_MS * 2 ** before, LAST_RETRY_MS);
  return { failures, dueAt: now + Math.floor(pause * (0.75 + random / 2)) };
}

/**
 * Whether a source is due. If its due time is further away than any success or failure sets it, it was fetched while
 * the clock was ahead, and the clock has been set back since.
 *
 * @param nextUpdate when its content announces the next one, in ms since 1970
 */
export function isDue(
  kind: MetadataSource['kind'],
  { dueAt, nextUpdate }: { readonly dueAt: number; readonly nextUpdate: number },
  now: number,
): boolean {
  if (kind !== 'url') return isWindowOver(dueAt, now, FILE_MS);
  return dueAt <= now || dueAt > Math.max(nextUpdate, now + OVERDUE_MS + LAST_RETRY_MS) + SPREAD_MS;
}
