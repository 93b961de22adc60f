import { isObject } from '../../validation/field.js';

/** Whether the form holds this field at all: a page may hold several forms. */
export const isSent = (body: unknown, name: string): boolean =>
  isObject(body) && Object.hasOwn(body, name);

/** A field's text without white space around it; empty where it was not sent once, as a text. */
export function textIn(body: unknown, name: string): string {
  const value = isObject(body) ? body[name] : undefined;
  return typeof value === 'string' ? value.trim() : '';
}

/** All texts of a field, which tick boxes send any number of times. */
export function textsIn(body: unknown, name: string): readonly string[] {
  const value = isObject(body) ? body[name] : undefined;
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((item) => typeof item === 'string' && item !== '') as string[];
}

/** The lines of a text area that hold something. */
export const linesOf = (text: string): readonly string[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
