import { isDeepStrictEqual } from 'node:util';
import type { AuditDetail } from './audit-entry.js';

/**
 * The maximum number of characters of a value: longer ones, for example certificates, are truncated, and
 * still show a change.
 */
const MAX_TEXT = 2000;

const BEFORE = ' before';
const AFTER = ' after';

/** Something before and after a change. */
export interface Change<T> {
  readonly before: T;
  readonly after: T;
}

type Members = Readonly<Record<string, unknown>>;

/**
 * Returns the differences for the audit trail: each changed member as JSON, before and after. An unset member is
 * written as an empty text.
 */
export function differencesBetween(before: Members, after: Members): AuditDetail {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => !isDeepStrictEqual(before[name], after[name]));
  return Object.fromEntries(
    changed.flatMap((name) => [
      [name + BEFORE, shortJson(before[name])],
      [name + AFTER, shortJson(after[name])],
    ]),
  );
}

function shortJson(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

/** Separates the differences that `differencesBetween` wrote into a detail from its other facts. */
export function partsOfDetail(detail: AuditDetail) {
  const changed = Object.keys(detail)
    .filter((name) => name.endsWith(BEFORE))
    .map((name) => name.slice(0, -BEFORE.length))
    .filter((name) => name + AFTER in detail);
  const written = changed.flatMap((name) => [name + BEFORE, name + AFTER]);
  return {
    changes: changed.map((name) => ({
      name,
      before: detail[name + BEFORE] ?? '',
      after: detail[name + AFTER] ?? '',
    })),
    facts: Object.entries(detail).filter(([name]) => !written.includes(name)),
  };
}
