import type { Problem } from '../../errors/reasons.js';

/**
 * A value for `{{name}}` in a phrase. Numbers are written as the language does, as `{{name, day}}` dates are; `count`
 * chooses the form.
 */
export type PhraseValue = string | number | Phrase;

/**
 * Something that a view says, in no language yet: its template writes it in the page's language with `{{say
 * …}}`, or in an attribute with `{{plain …}}`.
 */
export interface Phrase {
  /** `area:place.of.the.text` */
  readonly key: string;
  readonly values?: Readonly<Record<string, PhraseValue>>;
}

export const phrase = (key: string, values?: Phrase['values']): Phrase => ({
  key,
  ...(values && { values }),
});

/** A date (`2026-01-31`) as the value of `{{name, day}}`; a text that is none stays as it is. */
export function dayValue(text: string): number | string {
  const time = Date.parse(text);
  return Number.isNaN(time) ? text : time;
}

/** What a refusal or a warning means, for `{{say …}}`. */
export const problemPhrase = ({ reason, values }: Problem): Phrase =>
  phrase(`reasons:${reason}`, values);

/** What a page says: a phrase, or a text that is the same in every language, such as a name. */
export type Text = Phrase | string;
