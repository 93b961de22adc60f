import { truncateUtf8 } from '../../platform/validation/values/names.js';
import { distinctBytes } from '../../platform/database/row-ids.js';
import type { Names } from '../user.entity.js';

/** Increase it if this file folds a name to another result than before: all names are then indexed again. */
export const FOLDING = 3;
/** Maximum size of an entry in bytes; longer words are found by their beginning. */
export const WORD_BYTES = 96;
/** Maximum number of entries of one user. No name has as many words, unless a whole page was pasted into it. */
const MAX_WORDS = 32;

/** Letters that Unicode does not decompose, and their usual replacements. */
const LIKE: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ŧ: 't',
  ı: 'i',
  ŋ: 'n',
  ĸ: 'k',
  ς: 'σ',
  ə: 'e',
  ɓ: 'b',
  ɗ: 'd',
  ƙ: 'k',
  ƴ: 'y',
};
const UNLIKE = new RegExp(`[${Object.keys(LIKE).join('')}]`, 'gu');
/** Usual replacements for letters that are missing on a keyboard or in an older form. */
const SPELT_OUT: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ø: 'oe', å: 'aa' };
const APOSTROPHES = /['’‘ʼʻ`´]/gu;

/** Scripts without spaces between words: a name in them is found by any part of it. */
const UNSPACED =
  '[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}ー]';
const IS_UNSPACED = new RegExp(`^${UNSPACED}`, 'u');
const WORD = new RegExp(`${UNSPACED}+|(?:(?!${UNSPACED})[\\p{L}\\p{N}\\p{Mc}])+`, 'gu');

/** Converts to lower case without accents: `Søren` and `SOREN` become equal. */
function fold(text: string): string {
  const small = text.toLowerCase();
  // A fast path for most names, since a search folds hundreds of them.
  if (!/[^ -~]/.test(small)) return small;
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{Mn}/gu, '')
    .replaceAll(UNLIKE, (letter) => LIKE[letter] ?? letter);
}

/** The folded words of a text, in order; `O'Brien` is one word. */
export const foldedWords = (text: string): string[] =>
  fold(text.replaceAll(APOSTROPHES, '')).match(WORD) ?? [];

/** The words as one entry, for a search by a complete name. */
export const phraseOf = (words: readonly string[]): string => ` ${words.join(' ')}`;

/** `Mueller` for `Müller`. */
const speltOut = (text: string): string =>
  text.normalize('NFC').replaceAll(/[äöüøå]/giu, (one) => SPELT_OUT[one.toLowerCase()] ?? one);

/** Every word by which a user can be found, including the parts of `O'Brien`, and `Mueller` for `Müller`. */
export function wordsOfUser({ username, displayName }: Names): string[] {
  const texts = [username, displayName];
  const words = texts
    .flatMap((text) => [...new Set([text, text.replaceAll(APOSTROPHES, ' '), speltOut(text)])])
    .flatMap((text) => foldedWords(text))
    .flatMap((word) => (IS_UNSPACED.test(word) ? endsOf(word) : [word]));
  return [...new Set(words)];
}

const entryOf = (text: string): Buffer => Buffer.from(truncateUtf8(WORD_BYTES, text), 'utf8');

/** The entry of a whole user name; `undefined` if folding leaves nothing of it. */
export function wholeNameEntry(username: string): Buffer | undefined {
  const words = foldedWords(username);
  return words.length === 0 ? undefined : entryOf(phraseOf(words));
}

/** A user's entries in the index: the whole user name, a display name of several words, and each word. */
export function searchEntries(names: Names): Buffer[] {
  const displayName = foldedWords(names.displayName);
  const whole = wholeNameEntry(names.username);
  const entries = [
    ...(whole ? [whole] : []),
    ...(displayName.length > 1 ? [entryOf(phraseOf(displayName))] : []),
    ...wordsOfUser(names).map(entryOf),
  ];
  return distinctBytes(entries).slice(0, MAX_WORDS);
}

/** All suffixes of a word: `山田太郎`, `田太郎`, `太郎`, `郎`. */
const endsOf = (word: string): string[] => {
  const characters = [...word];
  return characters.map((_, n) => characters.slice(n).join(''));
};
