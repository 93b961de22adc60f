import { loadCertificate } from '../certificates/certificate.js';
import { CeremonyError } from '../failure.js';
import { MetadataError } from './metadata-error.js';

/** An object in a BLOB's payload; its members are not checked yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Called with the name and the value of a member that cannot be read and is skipped. */
export type OnSkipped = (detail: string) => void;

export const ignoreSkipped: OnSkipped = () => undefined;

const MAX_SHOWN = 100;

/** Throws a fault of the payload that names a member and shows the beginning of its value. */
export function unreadable(name: string, what: string, value: unknown): never {
  const shown = String(JSON.stringify(value)).slice(0, MAX_SHOWN);
  throw new MetadataError('payload', `${name} is not ${what}: ${shown}`);
}

/** Reads a member that decides nothing; if it cannot be read, it is skipped and reported. */
export function skipUnreadable<T>(read: () => T, onSkipped: OnSkipped): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof MetadataError)) throw error;
    onSkipped(error.detail);
    return undefined;
  }
}

/** Reads a member that may be absent. `null` contains nothing: it is reported, and means the same. */
export function readOptional<T>(
  object: JsonObject,
  name: string,
  { read, onSkipped }: { read: (value: unknown, name: string) => T; onSkipped: OnSkipped },
): T | undefined {
  const value = object[name];
  if (value === null) onSkipped(`${name} is null`);
  return value === undefined || value === null ? undefined : read(value, name);
}

/** Narrows to an object; anything else is a fault of the payload. */
export function objectOf(value: unknown, name: string): JsonObject {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject ? (value as JsonObject) : unreadable(name, 'an object', value);
}

/** Narrows to an array; anything else is a fault of the payload. */
export const arrayOf = (value: unknown, name: string): readonly unknown[] =>
  Array.isArray(value) ? value : unreadable(name, 'an array', value);

const isText = (value: unknown): value is string => typeof value === 'string';

/** Narrows to text; anything else is a fault of the payload. */
export const readText = (value: unknown, name: string): string =>
  isText(value) ? value : unreadable(name, 'text', value);

/** Narrows to an array of texts; anything else is a fault of the payload. */
export const readTexts = (value: unknown, name: string): readonly string[] =>
  arrayOf(value, name).map((item) => readText(item, `an item of ${name}`));

/** Narrows to a whole number, at least 0; anything else is a fault of the payload. */
export const readNumber = (value: unknown, name: string): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
    ? value
    : unreadable(name, 'a whole number', value);

/** Reads a calendar day, `YYYY-MM-DD`, as its midnight in UTC; anything else is a fault of the payload. */
export function readDay(value: unknown, name: string): Date {
  const isDay = isText(value) && /^\d{4}-\d{2}-\d{2}$/.test(value);
  const day = new Date(isDay ? `${value}T00:00:00Z` : NaN);
  const exists = isDay && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(value);
  return exists ? day : unreadable(name, 'a day', value);
}

/** Reads a certificate in Base64, as DER; anything else is a fault of the payload. */
export function readCertificate(value: unknown, name: string): Buffer {
  const der = Buffer.from(readText(value, name), 'base64');
  try {
    return loadCertificate(der).der;
  } catch (error) {
    if (error instanceof CeremonyError) unreadable(name, 'a certificate', value);
    throw error;
  }
}
