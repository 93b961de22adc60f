import { INVISIBLE } from '../validation/values/names.js';

const EACH_INVISIBLE = new RegExp(INVISIBLE, 'gu');

const codePoint = (character: string): string =>
  `‹U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}›`;

/**
 * A text that is safe to display: invisible characters are replaced by their code points. User names contain no such
 * character, but a claimed name may. Templates write `<bdi>{{visible name}}</bdi>`, so that the text cannot
 * reorder the text beside it either.
 */
export const visible = (text: unknown): string =>
  String(text ?? '').replace(EACH_INVISIBLE, codePoint);

/** JSON for display: its lines stay lines, and its strings are {@link visible}. */
export const visibleJson = (value: unknown): string =>
  JSON.stringify(value, null, 2).split('\n').map(visible).join('\n');

/**
 * A time (ISO 8601) as a page shows it until its script formats it in the reader's own time zone and language:
 * `2026-11-21 08:48 UTC`.
 */
export const utc = (iso: unknown): string =>
  `${String(iso ?? '')
    .slice(0, 16)
    .replace('T', ' ')} UTC`;
