import { Rule } from './field.js';
import type { Coded } from './field.js';

const MOMENT = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z)?$/;

/** Milliseconds since 1970 of a date, with or without a time (UTC). */
export function momentOf(text: string): number | undefined {
  const time = MOMENT.test(text) ? Date.parse(text) : Number.NaN;
  // `Date.parse` takes 30 February for a day in March: the day must come back as it went in.
  const day = Number.isNaN(time) ? undefined : new Date(time).toISOString().slice(0, 10);
  return day !== undefined && text.startsWith(day) ? time : undefined;
}

/** What `Reads(momentOf)` read. */
export const IsMoment = (options: Coded): PropertyDecorator =>
  Rule(
    'isMoment',
    options,
    (value) => typeof value === 'number' && value >= 0,
    'must be a date such as 2026-01-31 or 2026-01-31T09:00:00Z',
  );
