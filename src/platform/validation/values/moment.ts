import { problem } from '../../errors/reasons.js';
import { CrossFieldValidator, FieldValidator } from '../field-validator.js';

const MOMENT = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z)?$/;

/** Milliseconds since 1970 of a date, with or without a time (UTC). */
export function momentOf(text: string): number | undefined {
  const time = MOMENT.test(text) ? Date.parse(text) : Number.NaN;
  // `Date.parse` reads 30 February as a day in March, so the day is compared with the text.
  const day = Number.isNaN(time) ? undefined : new Date(time).toISOString().slice(0, 10);
  return day !== undefined && text.startsWith(day) ? time : undefined;
}

/** Checks a field that `Reads(momentOf)` has converted. */
export const IsMoment = FieldValidator(
  'isMoment',
  (value) => typeof value === 'number' && value >= 0,
  (field) => problem('field.date', { field }),
);

/** Checks that a field `to` is not before the field `from` beside it: nothing could match. */
export const EndsAfterFrom = CrossFieldValidator('endsAfterFrom', (to, query) =>
  Number(to) < Number(Reflect.get(query, 'from')) ? problem('field.period') : undefined,
);

const DAY_FORMAT = /^\d{4}-\d{2}-\d{2}$/;

/** The first millisecond of a calendar day (UTC). */
export const startOfDay = (text: string): number | undefined =>
  DAY_FORMAT.test(text) ? momentOf(text) : undefined;

/** Checks a field that `Reads(startOfDay)` has converted. */
export const IsDay = FieldValidator('isDay', Number.isInteger, (field) =>
  problem('field.day', { field }),
);

/** Whether the text names a time zone of the IANA database, for example `Europe/Berlin`. */
function isTimeZone(name: unknown): boolean {
  try {
    return typeof name === 'string' && Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}

export const IsTimeZone = FieldValidator('isTimeZone', isTimeZone, (field) =>
  problem('field.timeZone', { field }),
);

/**
 * The first moment of a calendar day in a time zone, in milliseconds since 1970.
 *
 * @param day as `startOfDay` reads it
 * @param zone a name that `IsTimeZone` accepts
 */
export function startOfDayIn(day: number, zone = 'UTC'): number {
  // The offset of the zone may change on that day: the first estimate is within hours of the right moment.
  const estimate = day - offsetAt(day, zone);
  const midnight = day - offsetAt(estimate, zone);
  // Where clocks go forward at midnight, no clock shows it: the day begins later.
  return Math.max(midnight, day - offsetAt(midnight, zone));
}

/** The milliseconds by which a time zone is ahead of UTC at a moment. */
function offsetAt(at: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' });
  const name = parts.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours, minutes] = /([+-])(\d\d):(\d\d)/.exec(name) ?? [];
  const offset = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
  return sign === '-' ? -offset : offset;
}

/** A moment's calendar day (UTC), as `startOfDay` reads it. */
export const dayText = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** A moment (milliseconds since 1970) as an ISO 8601 text; empty for `undefined`. */
export const isoOrEmpty = (at: number | undefined): string =>
  at === undefined ? '' : new Date(at).toISOString();

/** A moment (milliseconds since 1970) as an ISO 8601 text; `null` stays `null`. */
export const isoOrNull = (at: number | null): string | null =>
  at === null ? null : new Date(at).toISOString();
