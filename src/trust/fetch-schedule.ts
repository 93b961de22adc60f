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
export const isDue = (
  { dueAt, nextUpdate }: { readonly dueAt: number; readonly nextUpdate: number },
  now: number,
): boolean =>
  dueAt <= now || dueAt > Math.max(nextUpdate, now + OVERDUE_MS + LAST_RETRY_MS) + SPREAD_MS;
