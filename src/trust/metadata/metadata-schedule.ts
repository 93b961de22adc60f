import type { MetadataSource } from './metadata-source.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Between two looks at a file, which costs next to nothing. */
const FILE_MS = MINUTE;
/** Between two requests when the announced day is over and nothing new has come. */
const OVERDUE_MS = 6 * HOUR;
const FIRST_RETRY_MS = MINUTE;
const LAST_RETRY_MS = 6 * HOUR;
/** Servers all over the world wait for the same midnight. */
const SPREAD_MS = HOUR;

/**
 * When to ask a source again that answered well.
 *
 * @param nextUpdate the day that its BLOB announces, in ms since 1970
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
 * When to try again after failures in a row: a minute later, for an address twice as long each
 * time, up to six hours, a quarter more or less.
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
