import { readFileSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { createInstance, type ResourceLanguage } from 'i18next';
import type { Request } from 'express';
import { withProgram } from '../../program.js';
import { projectPath } from '../../project.js';
import { ENGLISH } from '../../errors/languages/en.js';
import { utc, visible } from '../visible-characters.js';
import { cookieIn } from '../../http/cookies.js';
import type { Phrase, PhraseValue } from './phrase.js';

const FOLDER = projectPath('views/languages');

/** A language tag (BCP 47), the name of a file in `views/languages`. */
export type Language = string;

/** The languages of the pages. A reader who prefers none of them gets the first one. */
export const languages: readonly Language[] = [
  ...new Set([
    'en',
    ...readdirSync(FOLDER)
      .map((file) => basename(file, '.json'))
      .sort(),
  ]),
];

/** The texts of a language, by area: `t "userFacing:…"` finds its text below `userFacing`. */
const catalogueOf = (language: Language): ResourceLanguage =>
  textsIn(readFileSync(`${FOLDER}/${language}.json`, 'utf8'));

const textsIn = (json: string): ResourceLanguage =>
  JSON.parse(json, (_, value: unknown) =>
    typeof value === 'string' ? withProgram(value) : value,
  ) as ResourceLanguage;

const catalogues = createInstance();
void catalogues.init({
  resources: Object.fromEntries(languages.map((language) => [language, catalogueOf(language)])),
  // A manually added language may lack texts of a later version.
  fallbackLng: 'en',
  // A page then shows the whole key of a missing text, which the tests look for.
  appendNamespaceToMissingKey: true,
  initAsync: false,
  // Handlebars escapes the values.
  interpolation: { escapeValue: false },
});
catalogues.addResourceBundle('en', 'reasons', textsIn(JSON.stringify(ENGLISH)));
catalogues.services.formatter?.add('day', (time: unknown, language = 'en') =>
  typeof time === 'number' ? dateText(language, time, { dateStyle: 'long' }) : String(time),
);
catalogues.services.formatter?.add('month', (time: number | string, language = 'en') =>
  dateText(language, time, { month: 'long', year: 'numeric' }),
);
catalogues.services.formatter?.add('moment', (time: number | string, language = 'en') =>
  dateText(language, time, { dateStyle: 'long', timeStyle: 'short' }),
);

/**
 * A text of the pages.
 *
 * @param key `area:place.of.the.text`
 * @param values values for `{{name}}` in the text, or for `{{count, number}}`, which is written in the
 *   language's format
 */
export const translate = (
  language: Language,
  key: string,
  values: Readonly<Record<string, unknown>> = {},
): string => catalogues.t(key, { ...values, lng: language });

/** A day, month or moment in the format of a language; of the UTC calendar, unless the style names a time zone. */
export const dateText = (
  language: Language,
  time: number | string,
  style: Intl.DateTimeFormatOptions,
): string =>
  new Intl.DateTimeFormat(translate(language, 'layout:language.dates'), {
    timeZone: 'UTC',
    ...style,
  })
    .formatToParts(new Date(time))
    .map(({ type, value }) =>
      type === 'day' && value === '1' ? translate(language, 'layout:language.firstDay') : value,
    )
    .join('');

/** A moment in a time zone, with the name of that zone: `28 November 2026 at 16:30 Central European Time`. */
export const momentInZone = (language: Language, time: number, timeZone = 'UTC'): string =>
  dateText(language, time, {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZone,
    timeZoneName: timeZone === 'UTC' ? 'short' : 'longGeneric',
  });

/**
 * A phrase and the phrases within it.
 *
 * @param shown converts each text among their values
 * @param timeShown converts each time among their values
 */
export function phraseText(
  language: Language,
  { key, values = {} }: Phrase,
  shown: (text: string) => string,
  timeShown: (time: string) => string = utc,
): string {
  const textOf = (value: PhraseValue): string | number => {
    if (typeof value === 'string') return shown(value);
    if (typeof value === 'number') return value;
    return 'moment' in value
      ? timeShown(value.moment)
      : phraseText(language, value, shown, timeShown);
  };
  const parts = Object.entries(values).map(([name, value]) => [name, textOf(value)]);
  return translate(language, key, Object.fromEntries(parts));
}

export const plainText = (language: Language, phrase: Phrase): string =>
  phraseText(language, phrase, visible);

/** The texts of an area as its catalogue nests them. */
export interface NestedTexts {
  readonly [name: string]: string | NestedTexts;
}

/** All texts below a place, by their full keys: `heading.title`. */
export const flatTexts = (texts: NestedTexts, place = ''): [key: string, text: string][] =>
  Object.entries(texts).flatMap(([name, text]) =>
    typeof text === 'string' ? [[place + name, text]] : flatTexts(text, `${place}${name}.`),
  );

/** All texts of an area in its catalogue, by the part of the key after `area:`. */
export const textsOf = (language: Language, area: string): [key: string, text: string][] =>
  flatTexts(catalogues.getResourceBundle(language, area) as NestedTexts);

export const scriptTextsOf = (language: Language, area: string): object =>
  (catalogues.getResource(language, area, 'script') ?? {}) as object;

/** Written by the switch on each page (`views/public/js`). */
const COOKIE = 'servicefido-language';

/** The language that the reader chose by the switch, else the one that the browser prefers (RFC 9110 §12.5.4). */
function languageOf(request: Request): Language {
  const chosen = cookieIn(request, COOKIE);
  const known = languages.find((language) => language === chosen);
  const accepted = request.acceptsLanguages([...languages]);
  return known ?? (accepted === false ? 'en' : accepted);
}

/** The language of a page; adds the headers that it depends on to `Vary`, for caches. */
export function languageFor(request: Request): Language {
  request.res?.vary('Accept-Language').vary('Cookie');
  return languageOf(request);
}
