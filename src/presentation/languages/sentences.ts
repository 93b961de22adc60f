import { textsOf } from './languages.js';
import { phrase } from './phrase.js';
import type { Phrase } from './phrase.js';

/** A sentence of the catalogue that has values in it, and the form of the English sentences it stands for. */
interface Known {
  readonly key: string;
  readonly form: RegExp;
}

const AREA = 'sentences';
const PLACE = /\\\{\\\{(\w+)\\\}\\\}/g;

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

const formOf = (text: string): RegExp =>
  new RegExp(`^${escaped(text).replaceAll(PLACE, '(?<$1>.*)')}$`, 's');

const english = textsOf('en', AREA);
const byText = new Map(english.map(([key, text]) => [text, key]));
const forms: readonly Known[] = english
  .filter(([, text]) => text.includes('{{'))
  .map(([key, text]) => ({ key, form: formOf(text) }));

/**
 * The phrase of an error's English sentence. Errors are English, for programs and the log; pages say those
 * that the catalogue `sentences` has in their own language.
 *
 * @returns `undefined` for a sentence that the catalogue does not have
 */
export function phraseOf(sentence: string): Phrase | undefined {
  const key = byText.get(sentence);
  if (key !== undefined) return phrase(`${AREA}:${key}`);
  for (const known of forms) {
    const groups = known.form.exec(sentence)?.groups;
    if (groups) return phrase(`${AREA}:${known.key}`, groups);
  }
  return undefined;
}

/** What an error code means by itself; `undefined` where pages never show it. */
export const phraseOfCode = (code: string): Phrase | undefined =>
  english.some(([key]) => key === `codes.${code}`) ? phrase(`${AREA}:codes.${code}`) : undefined;
