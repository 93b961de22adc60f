import { normalizeName } from '../../platform/validation/values/names.js';
import type { Names } from '../user.entity.js';
import { areOneEditApart } from './edits.js';
import { foldedWords, phraseOf, wordsOfUser } from './folding.js';

/** Further words are ignored: they would hardly narrow a search. */
const MAX_WORDS = 8;
/** Words of fewer letters resemble too many others. */
const LEAST_TO_RESEMBLE = 3;

export class SearchText {
  /** The text as it was typed, in NFC. */
  readonly text: string;
  /** The whole text as an entry of the index. */
  readonly phrase: string;
  private readonly words: readonly string[];

  constructor(text: string) {
    this.text = normalizeName(text.trim());
    const words = foldedWords(this.text);
    this.phrase = phraseOf(words);
    this.words = [...new Set(words)].slice(0, MAX_WORDS);
  }

  /** Whether the text contains anything but punctuation. */
  get hasWords(): boolean {
    return this.words.length > 0;
  }

  /** The words, the longest first, since it is likely to be the rarest. */
  get byLength(): readonly string[] {
    return [...this.words].sort((a, b) => b.length - a.length);
  }

  /** Whether each word is a prefix of one of the user's words, or the user name begins with the text. */
  fits(names: Names): boolean {
    if (names.username.startsWith(this.text)) return true;
    const own = wordsOfUser(names);
    return this.hasWords && this.words.every((word) => own.some((one) => one.startsWith(word)));
  }

  /** As `fits`, but a word may also be one edit away from one of the user's words. */
  nearlyFits(names: Names): boolean {
    const own = wordsOfUser(names);
    const isNear = (word: string, other: string) =>
      other.startsWith(word) || (word.length >= LEAST_TO_RESEMBLE && areOneEditApart(word, other));
    return this.hasWords && this.words.every((word) => own.some((one) => isNear(word, one)));
  }

  /** How well a user matches, 0 best: user name, complete name, whole words, beginnings of words. */
  rank(names: Names): number {
    const { username, displayName } = names;
    if (username === this.text) return 0;
    const wholes = [username, displayName].map((name) => phraseOf(foldedWords(name)));
    if (wholes.includes(this.phrase)) return 1;
    const own = new Set(wordsOfUser(names));
    return this.words.every((word) => own.has(word)) ? 2 : 3;
  }
}
