import { problem } from '../../platform/errors/reasons.js';
import { parsedJson } from '../../platform/validation/field-validator.js';
import { scimError } from './scim-error.js';

/** `attribute eq "value"`. */
export interface Comparison {
  /** As it was written, perhaps with the URN of its schema. */
  readonly attribute: string;
  readonly value: string;
}

/** More characters than an ID, a name and their attributes need. */
const MAX_LENGTH = 2048;
const MAX_COMPARISONS = 5;

const COMPARISON = /\s*([\w$.:-]+)\s+eq\s+("(?:[^"\\]|\\.)*")\s*(?:and(?=\s)|$)/iy;

/**
 * Reads a filter (RFC 7644 §3.4.2.2) that compares attributes with texts by `eq`, joined by `and`.
 *
 * @throws ApiError E0045R `invalidFilter` for any other filter
 */
export function parseFilter(text: string): readonly Comparison[] {
  const comparisons: Comparison[] = [];
  if (text.length > MAX_LENGTH) throw unsupportedFilter();
  const pattern = new RegExp(COMPARISON);
  while (pattern.lastIndex < text.length) {
    const [, attribute, quoted = ''] = pattern.exec(text) ?? [];
    const value = parsedJson(quoted);
    if (attribute === undefined || typeof value !== 'string') throw unsupportedFilter();
    if (comparisons.length === MAX_COMPARISONS) throw unsupportedFilter();
    comparisons.push({ attribute, value });
  }
  if (comparisons.length === 0 || /\sand\s*$/i.test(text)) throw unsupportedFilter();
  return comparisons;
}

export const unsupportedFilter = () => scimError('invalidFilter', problem('scim.filter'));
