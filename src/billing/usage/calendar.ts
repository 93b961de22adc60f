import { DAY_MS } from '../../platform/common/durations.js';
import { dayText, startOfDay } from '../../platform/validation/values/moment.js';

/**
 * Days and months of the UTC calendar, regardless of the server's time zone: a day is the number of
 * days since 1970, a month is `yyyymm`.
 */

/** The day of a time in milliseconds since 1970. */
export const dayOf = (at: number): number => Math.floor(at / DAY_MS);

/** `YYYY-MM-DD`. */
export const dateOf = (day: number): string => dayText(day * DAY_MS);

export function monthOf(day: number): number {
  const date = new Date(day * DAY_MS);
  return date.getUTCFullYear() * 100 + date.getUTCMonth() + 1;
}

/** The first day of a day's month. */
export const firstDayOf = (day: number): number => day - new Date(day * DAY_MS).getUTCDate() + 1;

/** The first day of the month that is `months` before the month of a day. */
export function monthsBefore(day: number, months: number): number {
  const date = new Date(day * DAY_MS);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() - months, 1) / DAY_MS;
}

/** The last day of a day's month. */
export const monthEndOf = (day: number): number => monthsBefore(day, -1) - 1;

/** The day of a date; `undefined` if it is not in the format `YYYY-MM-DD` or does not exist. */
export function parseDate(text: string): number | undefined {
  const start = startOfDay(text);
  return start === undefined ? undefined : start / DAY_MS;
}
