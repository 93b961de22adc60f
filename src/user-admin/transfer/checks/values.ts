import { ApiError } from '../../../platform/errors/api-error.js';
import { problem, type Problem } from '../../../platform/errors/reasons.js';

/*
 * Values of a file as JSON, CSV and database exports write them. `undefined` and `null` mean that the file
 * contains no value.
 */

const isAbsent = (value: unknown): value is null | undefined =>
  value === undefined || value === null;

const wrong = (found: Problem): ApiError => ApiError.of('E0045R', found);

const FLAGS = new Map<unknown, boolean>([
  ...[true, 'true', 't', 1, '1'].map((value) => [value, true] as const),
  ...[false, 'false', 'f', 0, '0'].map((value) => [value, false] as const),
]);

/** @throws ApiError E0045R if the value is neither true nor false */
export function readFlag(name: string, value: unknown): boolean | undefined {
  if (isAbsent(value)) return undefined;
  const flag = FLAGS.get(typeof value === 'string' ? value.toLowerCase() : value);
  if (flag === undefined) throw wrong(problem('field.flag', { field: name }));
  return flag;
}

/** The signature counter is an unsigned number of 32 bits (W3C WebAuthn L3 §6.1). */
const MAX_COUNT = 2 ** 32 - 1;

/** @throws ApiError E0045R if the value is not a counter */
export function readCounter(name: string, value: unknown): number {
  const count = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value;
  const fits = Number.isInteger(count) && Number(count) >= 0 && Number(count) <= MAX_COUNT;
  if (!fits) throw wrong(problem('field.wholeNumberUpTo', { field: name, max: MAX_COUNT }));
  return count as number;
}

/** @throws ApiError E0045R if the value is not a byte */
export function byteOf(name: string, value: unknown): number | undefined {
  if (isAbsent(value)) return undefined;
  const byte = readCounter(name, value);
  if (byte > 255) throw wrong(problem('field.wholeNumberUpTo', { field: name, max: 255 }));
  return byte;
}

const LATEST = Date.UTC(9999, 11, 31);
/** A time in SQL notation: a blank may replace `T`; the offset may have hours only or be absent (then UTC). */
const SQL_TIME =
  /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)\s?(Z|[+-]\d\d(?::?\d\d)?)?$/i;

/**
 * Reads a date and time, or a number of milliseconds since 1970.
 *
 * @returns milliseconds since 1970
 * @throws ApiError E0045R for anything else
 */
export function readTimeValue(name: string, value: unknown): number | undefined {
  if (isAbsent(value)) return undefined;
  const ms = typeof value === 'string' ? parsedTime(value) : value;
  if (typeof ms === 'number' && Number.isInteger(ms) && ms >= 0 && ms <= LATEST) return ms;
  throw wrong(problem('field.time', { field: name }));
}

function parsedTime(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  const [, date = '', time = '', zone = 'Z'] = SQL_TIME.exec(text) ?? [];
  const offset = /^[+-]\d\d$/.test(zone) ? `${zone}:00` : zone.toUpperCase();
  return Math.trunc(Date.parse(`${date}T${time}${offset}`));
}

/** Reads words from an array, a JSON array, a comma-separated list, or a PostgreSQL array. */
export function wordsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.filter((item) => typeof item === 'string');
  if (typeof value !== 'string') return [];
  return value
    .slice(0, 1000)
    .split(/[\s,{}[\]"]+/)
    .filter((word) => word !== '');
}
