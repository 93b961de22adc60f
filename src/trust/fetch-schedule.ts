import { MINUTE_MS, HOUR_MS } from '../platform/common/durations.js';
import type { MetadataSource } from './metadata/metadata-source.js';

/** Time between two reads of a file, which cost next to nothing. */
const FILE_MS = MINUTE_MS;
/** Time between two requests after the announced day has passed without new content. */
const OVERDUE_MS = 6 * HOUR_MS;
const FIRST_RETRY_MS = MINUTE_MS;
const LAST_RETRY_MS = 6 * HOUR_MS;
/** Requests are spread over an hour, since servers all over the world wait for the same midnight. */
const SPREAD_MS = HOUR_MS;

/**
 * When to fetch a source again after a success, in ms since 1970.
 *
 * @param nextUpdate when its content announces the next one, in ms since 1970
 * @param random a number from 0 up to 1
 */
export function dueAfterSuccess(
  kind: MetadataSource['kind'],
  { now, nextUpdate }: { readonly now: number; readonly nextUpdate: number },
  random = Math.random(),
): number {
  if (kind !== 'url') return now + FILE_MS;
  return Math.max(nextUpdate, now + OVERDUE_MS) + Math.floor(random * SPREAD_MS);
}

/**
 * When to retry after consecutive failures, in ms since 1970: a file after a minute, an address after a
 * minute that doubles each time up to six hours, a quarter more or less at random.
 */
export function dueAfterFailure(
  kind: MetadataSource['kind'],
  { now, failures }: { readonly now: number; readonly failures: number },
  random = Math.random(),
): number {
  if (kind !== 'url') return now + FILE_MS;
  const pause = Math.min(FIRST_RETRY_MS * 2 ** Math.max(failures - 1, 0), LAST_RETRY_MS);
  return now + Math.floor(pause * (0.75 + random / 2));
}

/** How an attempt ended. */
interface Attempt {
  readonly now: number;
  readonly isGood: boolean;
  /** Consecutive failures before it. */
  readonly failures: number;
  /** As for `dueAfterSuccess`. */
  readonly nextUpdate: number;
}

/** The number of consecutive failures after an attempt, and when the next attempt is due. */
export function afterAttempt(
  kind: MetadataSource['kind'],
  { now, isGood, failures: before, nextUpdate }: Attempt,
): { readonly failures: number; readonly dueAt: number } {
  if (isGood) return { failures: 0, dueAt: dueAfterSuccess(kind, { now, nextUpdate }) };
  const failures = before + 1;
  return { failures, dueAt: dueAfterFailure(kind, { now, failures }) };
}

/**
 * Whether a source is due. If its due time is further away than any success or failure sets it, it was fetched while
 * the clock was ahead, and the clock has been set back since.
 *
 * @param nextUpdate as for `dueAfterSuccess`
 */
export const isDue = (
  { dueAt, nextUpdate }: { readonly dueAt: number; readonly nextUpdate: number },
  now: number,
): boolean =>
  dueAt <= now || dueAt > Math.max(nextUpdate, now + OVERDUE_MS + LAST_RETRY_MS) + SPREAD_MS;
