import type { Request } from 'express';
import { ApiError } from '../../platform/errors/api-error.js';
import { problem } from '../../platform/errors/reasons.js';
import { shortened } from '../../platform/validation/unknown-fields.js';
import { selectedBy } from './attributes.js';
import { parseFilter, type Comparison } from './filter.js';
import { scimError } from './scim-error.js';

export const MAX_RESULTS = 200;
const DEFAULT_RESULTS = 100;
/** The last position of a list. */
const MAX_INDEX = 1_000_000_000;

/** Which attributes of a resource the answer contains, in lower case; `id` and `schemas` always. */
export interface Projection {
  readonly attributes: ReadonlySet<string> | undefined;
  readonly excluded: ReadonlySet<string>;
}

/** The parameters of a list (RFC 7644 §3.4.2). */
export interface ScimListRequest {
  readonly filter: readonly Comparison[] | undefined;
  /** The position of the first result; 1 for the first one. */
  readonly startIndex: number;
  readonly count: number;
}

/** The rows of a page, and how many there are in all. */
export interface ResourcePage<Row> {
  readonly rows: readonly Row[];
  readonly total: number;
}

type Query = Request['query'];

/** The parameters of RFC 7644 §3.4.2 and §3.9 that have an effect. */
const PARAMETERS = ['filter', 'startIndex', 'count', 'attributes', 'excludedAttributes'];
/** Parameters of features that are off: a list is in the order of creation, and in pages by `startIndex`. */
const IGNORED = ['sortBy', 'sortOrder', 'cursor'];
const KNOWN: ReadonlySet<string> = new Set([...PARAMETERS, ...IGNORED]);
/** What the documentation of Entra adds to the address of a service, with or without a value. */
const FLAG_OF_ENTRA = /^(?:aadOptscim|AzureAdScimPatch)\d+$/i;

/**
 * Refuses parameters that nobody would read: a list without its misspelt filter would contain everything.
 *
 * @throws ApiError E0045R
 */
export function ensureKnownParameters(query: Query): void {
  const isUnknown = (name: string) => !KNOWN.has(name) && !FLAG_OF_ENTRA.test(name);
  const unknown = Object.keys(query).find(isUnknown);
  if (unknown === undefined) return;
  const names = PARAMETERS.join(', ');
  throw new ApiError('E0045R', 'parameters.unknown', { name: shortened(unknown), names });
}

/** @throws ApiError E0045R `invalidFilter` or `invalidValue` */
export function listRequestOf(query: Query): ScimListRequest {
  const filter = textOf(query, 'filter');
  return {
    filter: filter === undefined ? undefined : parseFilter(filter),
    startIndex: numberOf(query, 'startIndex', { byDefault: 1, min: 1, max: MAX_INDEX }),
    count: numberOf(query, 'count', { byDefault: DEFAULT_RESULTS, min: 0, max: MAX_RESULTS }),
  };
}

/** The requested page of rows that a filter matches. */
export const pageOf = <Row>(
  rows: readonly Row[],
  { startIndex, count }: ScimListRequest,
): ResourcePage<Row> => ({
  rows: rows.slice(startIndex - 1, startIndex - 1 + count),
  total: rows.length,
});

/** @throws ApiError E0045R `invalidValue` */
export function projectionOf(query: Query): Projection {
  const attributes = namesIn(textOf(query, 'attributes'));
  const excluded = namesIn(textOf(query, 'excludedAttributes'));
  return { attributes: attributes.size > 0 ? attributes : undefined, excluded };
}

/** A number outside the range is the nearest one inside it (RFC 7644 §3.4.2.4). */
function numberOf(
  query: Query,
  field: string,
  { byDefault, min, max }: Readonly<Record<'byDefault' | 'min' | 'max', number>>,
): number {
  const text = textOf(query, field) ?? '';
  if (text === '') return byDefault;
  if (!/^-?\d{1,15}$/.test(text)) {
    throw scimError('invalidValue', problem('field.wholeNumber', { field, min, max }));
  }
  return Math.min(Math.max(Number(text), min), max);
}

function textOf(query: Query, field: string): string | undefined {
  const value = query[field];
  if (value === undefined || typeof value === 'string') return value;
  throw scimError('invalidValue', problem('field.once', { field }));
}

const namesIn = (list = ''): ReadonlySet<string> =>
  new Set(
    list
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '')
      .flatMap(selectedBy),
  );
