import { ApiError } from '../../errors/api-error.js';
import { isObject } from '../../validation/field.js';

/** Longer than any address or form of ours. */
const MAX_LENGTH = 4096;

/**
 * A field of a query or a form; one that is empty, which forms send too, counts as absent.
 *
 * @throws ApiError E0045R for one that is sent twice, is no text or is too long
 */
export function textOf(source: unknown, name: string): string | undefined {
  const value = isObject(source) ? source[name] : undefined;
  if (value === undefined || value === '') return undefined;
  if (typeof value === 'string' && value.length <= MAX_LENGTH && value.isWellFormed()) return value;
  throw new ApiError('E0045R', `"${name}" must be given once, as a text.`);
}

/** A field that a form may send any number of times, as tick boxes do. */
export function textsOf(source: unknown, name: string): readonly string[] {
  const value = isObject(source) ? (source[name] ?? []) : [];
  const texts: readonly unknown[] = Array.isArray(value) ? value : [value];
  return texts.map((text) => {
    const checked = textOf({ [name]: text }, name);
    if (checked !== undefined) return checked;
    throw new ApiError('E0045R', `"${name}" must not be empty.`);
  });
}

/** The query of an address, `?` included; absent values are left out. Safe in an attribute. */
export function queryOf(parameters: Readonly<Record<string, string | undefined>>): string {
  const entries = Object.entries(parameters).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  const query = new URLSearchParams(entries).toString();
  return query === '' ? '' : `?${query}`;
}

/** The address of a person's page. */
export const userAddress = (name: string, rp: string, more: Record<string, string> = {}): string =>
  `/userapi/user${queryOf({ name, rp, ...more })}`;
