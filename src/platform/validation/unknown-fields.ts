import type { Type } from '@nestjs/common';
import { fieldsOf } from './flat-checks.js';

/** Maximum number of unknown fields in the warnings; the first ones show a caller what is wrong. */
const MAX_WARNINGS = 10;
const MAX_NAME = 64;

/**
 * Warnings in an answer about unknown fields of the body, which are ignored. `undefined` if there
 * are none, which costs one look-up for each field.
 */
export function warningsOf(dto: Type, body: object): readonly string[] | undefined {
  const known = fieldsOf(dto);
  const unknown = Object.keys(body).filter((name) => !known.has(name));
  if (unknown.length === 0) return undefined;
  const named = unknown.slice(0, MAX_WARNINGS).map((name) => {
    const shown = name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name;
    return `"${shown}" is no field of this call, and was ignored.`;
  });
  const more = unknown.length - named.length;
  return more === 0 ? named : [...named, `${more} more fields were ignored.`];
}
