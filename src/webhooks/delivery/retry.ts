const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

/** How long a webhook may fail before it is switched off. */
export const PATIENCE_MS = 3 * 24 * HOUR_MS;

/** How long a message may be refused while others arrive, before it is set aside. */
export const SET_ASIDE_AFTER_MS = HOUR_MS;

/** If others arrive, the receiver works, and a failed message is tried again soon. */
export const LONGEST_PAUSE_BESIDE_OTHERS_MS = 60 * SECOND_MS;

const FIRST_PAUSE_MS = 5 * SECOND_MS;
const GROWTH = 3;
const LONGEST_PAUSE_MS = 4 * HOUR_MS;
/** The random share of a pause, so that webhooks that failed together do not all return at once. */
const SPREAD = 0.2;

/**
 * Whether an attempt is due. One that is more than the longest pause away was delayed by a clock that has
 * been set back since.
 */
export const isWebhookDue = (dueAt: number, now: number): boolean =>
  dueAt <= now || dueAt > now + LONGEST_PAUSE_MS;

/**
 * Returns the pause after n failures in a row: 5 s, 15 s, 45 s, and so on up to four hours.
 *
 * @param failures at least 1
 * @param random from 0 to 1
 */
export function pauseMs(failures: number, random: number): number {
  const pause = Math.min(FIRST_PAUSE_MS * GROWTH ** (failures - 1), LONGEST_PAUSE_MS);
  return Math.round(pause * (1 - SPREAD * random));
}
