/** Milliseconds. */
export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** The longest time that an option allows between a begin call and its result call. */
export const MAX_CEREMONY_MS = HOUR_MS;

/** The seconds of a day, for lifetimes that are stated in seconds. */
export const DAY_SECONDS = 86_400;
