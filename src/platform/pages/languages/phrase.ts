import type { Problem } from '../../errors/reasons.js';

/**
 * A value for `{{name}}` in a phrase. Numbers, and dates in `{{name, day}}`, are written in the language's format;
 * `count` selects the plural form.
 */
export type PhraseValue = string | number | Phrase | Moment;

/** A time (ISO 8601): a page shows it in the time zone of its reader, and text in UTC. */
export interface Moment {
  readonly moment: string;
}

/**
 * A translatable text of a view, in no language yet: its template writes it in the page's language with `{{say
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

/** @param time milliseconds since 1970 */
export const momentValue = (time: number): Moment => ({ moment: new Date(time).toISOString() });

/** A date (`2026-01-31`) as the value of `{{name, day}}`; any other text stays unchanged. */
export function dayValue(text: string): number | string {
  const time = Date.parse(text);
  return Number.isNaN(time) ? text : time;
}

/** The meaning of a refusal or a warning, for `{{say …}}`. */
export const problemPhrase = ({ reason, values }: Problem): Phrase =>
  phrase(`reasons:${reason}`, values);

/** A text of a page: a phrase, or a text that is the same in every language, for example a name. */
export type Text = Phrase | string;

/** A share in whole percent, in the format of the page's language; `–` if the whole is 0. */
export const shareText = (part: number, whole: number): Text =>
  whole === 0 ? '–' : phrase('layout:percent', { percent: Math.round((part / whole) * 100) });

/** Rules that apply without being part of a policy. */
const OF_NO_POLICY: readonly string[] = ['whitelist', 'revoked', 'reported'];

/** Label of the rule of a breach or finding, the same as in the policy's form. */
export const ruleLabel = (rule: string): Phrase =>
  OF_NO_POLICY.includes(rule)
    ? phrase(`policy:rules.${rule}`)
    : phrase(`policy:fields.${rule}.label`);
