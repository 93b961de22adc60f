import type { Request } from 'express';
import { fromRequest } from '../../platform/common/from-request.js';
import { problem } from '../../platform/errors/reasons.js';
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

type Query = Request['query'];

/** @throws ApiError E0045R `invalidFilter` or `invalidValue` */
export function listRequestOf(query: Query): ScimListRequest {
  const filter = textOf(query, 'filter');
  return {
    filter: filter === undefined ? undefined : parseFilter(filter),
    startIndex: numberOf(query, 'startIndex', { byDefault: 1, min: 1, max: MAX_INDEX }),
    count: numberOf(query, 'count', { byDefault: DEFAULT_RESULTS, min: 0, max: MAX_RESULTS }),
  };
}

/** @throws ApiError E0045R `invalidValue` */
export function projectionOf(query: Query): Projection {
  const attributes = namesIn(textOf(query, 'attributes'));
  const excluded = namesIn(textOf(query, 'excludedAttributes'));
  return { attributes: attributes.size > 0 ? attributes : undefined, excluded };
}

export const ListRequest = fromRequest(({ query }) => listRequestOf(query));

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

/** The attributes without the URNs of their schemas and without sub-attributes: `name.formatted` asks for `name`. */
const namesIn = (list = ''): ReadonlySet<string> =>
  new Set(
    list
      .split(',')
      .map((name) => name.trim().toLowerCase())
      .filter((name) => name !== '')
      .map((name) => (name.startsWith('urn:') ? name.slice(name.lastIndexOf(':') + 1) : name))
      .map((name) => name.split('.')[0] ?? name),
  );
