import { DAY_MS } from '../../platform/common/durations.js';

/** 1970-01-01 was a Thursday. */
const FIRST_MONDAY = -3;

/** The Monday of the week of a time (ms since 1970, UTC), in days since 1970. */
export const weekOf = (at: number): number => {
  const day = Math.floor(at / DAY_MS);
  return Math.floor((day - FIRST_MONDAY) / 7) * 7 + FIRST_MONDAY;
};
