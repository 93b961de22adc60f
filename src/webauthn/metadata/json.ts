import { loadCertificate } from '../certificates/certificate.js';
import { CeremonyError } from '../failure.js';
import { ensureMetadata, MetadataError } from './metadata-error.js';

/** An object in a BLOB's payload; its members are not checked yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Narrows to an object; anything else is a fault of the payload. */
export function objectOf(value: unknown, what: string): JsonObject {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  ensureMetadata(isObject, 'payload', `${what} is not an object`);
  return value as JsonObject;
}

/** Narrows to an array; anything else is a fault of the payload. */
export function arrayOf(value: unknown, what: string): readonly unknown[] {
  ensureMetadata(Array.isArray(value), 'payload', `${what} is not an array`);
  return value;
}

/** Reads a member that may be absent; a value that is not text is a fault of the payload. */
export function readOptionalText(object: JsonObject, name: string): string | undefined {
  const value = object[name];
  ensureMetadata(
    value === undefined || typeof value === 'string',
    'payload',
    `${name} is not text`,
  );
  return value;
}

/** Reads a member that may be absent; a value that is not an array of texts is a fault of the payload. */
export function readTexts(object: JsonObject, name: string): readonly string[] {
  const items = arrayOf(object[name] ?? [], name);
  const isText = (item: unknown): item is string => typeof item === 'string';
  ensureMetadata(items.every(isText), 'payload', `${name} holds something that is not text`);
  return items;
}

/** Reads a calendar day, `YYYY-MM-DD`, as its midnight in UTC; anything else is a fault of the payload. */
export function readDay(value: unknown, what: string): Date {
  const isDay = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}$/.test(value);
  const day = new Date(isDay ? `${value}T00:00:00Z` : NaN);
  const exists = isDay && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(value);
  ensureMetadata(exists, 'payload', `${what} is not a day`);
  return day;
}

/** Reads a certificate in Base64, as DER, or `undefined` if it is absent; anything else is a fault of the payload. */
export function readOptionalCertificate(object: JsonObject, name: string): Buffer | undefined {
  const text = readOptionalText(object, name);
  if (text === undefined) return undefined;
  try {
    return loadCertificate(Buffer.from(text, 'base64')).der;
  } catch (error) {
    if (error instanceof CeremonyError)
      throw new MetadataError('payload', `${name}: ${error.message}`);
    throw error;
  }
}
