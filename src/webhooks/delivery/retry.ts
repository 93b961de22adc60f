const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;

/** For how long a webhook may fail before it is off. */
export const PATIENCE_MS = 3 * 24 * HOUR_MS;

/** For how long a message may be refused beside others that arrive, before it is set aside. */
export const SET_ASIDE_AFTER_MS = HOUR_MS;

/** Where others arrive, the receiver is well, and what failed is tried again soon. */
export const LONGEST_PAUSE_BESIDE_OTHERS_MS = 60 * SECOND_MS;

const FIRST_PAUSE_MS = 5 * SECOND_MS;
const GROWTH = 3;
const LONGEST_PAUSE_MS = 4 * HOUR_MS;
/** Share of a pause that chance decides on, lest webhooks that failed together all come back at once. */
const SPREAD = 0.2;

/**
 * Whether it is time for an attempt. One that is put off for longer than any pause was put off by a clock
 * that has been set back since.
 */
export const isDue = (dueAt: number, now: number): boolean =>
  dueAt <= now || dueAt > now + LONGEST_PAUSE_MS;

/**
 * The pause after n failures in a row: 5 s, 15 s, 45 s, and so on up to four hours.
 *
 * @param failures at least 1
 * @param random from 0 to 1
 */
export function pauseMs(failures: number, random: number): number {
  const pause = Math.min(FIRST_PAUSE_MS * GROWTH ** (failures - 1), LONGEST_PAUSE_MS);
  return Math.round(pause * (1 - SPREAD * random));
}
