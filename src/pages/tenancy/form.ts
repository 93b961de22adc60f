import type { Text } from '../../platform/pages/languages/phrase.js';
import { isObject } from '../../platform/validation/field-validator.js';

/** Whether a submitted form has this field: a page may have several forms. */
export const isSent = (body: unknown, name: string): boolean =>
  isObject(body) && Object.hasOwn(body, name);

/** The trimmed text of a field; empty unless the field was sent exactly once. */
export function textIn(body: unknown, name: string): string {
  const value = isObject(body) ? body[name] : undefined;
  return typeof value === 'string' ? value.trim() : '';
}

/** All texts of a field: tick boxes send a field any number of times. */
export function textsIn(body: unknown, name: string): readonly string[] {
  const value = isObject(body) ? body[name] : undefined;
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((item) => typeof item === 'string' && item !== '') as string[];
}

/** An option of a list or a tick box, which is selected if its value was entered. */
export const choiceOf = (value: string, text: Text, entered: readonly string[]) => ({
  value,
  text,
  selected: entered.includes(value),
});

/** The non-empty lines of a text area. */
export const nonEmptyLines = (text: string): readonly string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
